import { render } from "preact";
import "./styles/index.css";
import { App } from "./app";
import { chosenTheme } from "./lib/theme";

chosenTheme();
render(<App />, document.getElementById("app")!);
