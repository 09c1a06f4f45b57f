import { render } from "preact";
import "./styles/index.css";
import { chosenTheme } from "./lib/theme";
import { App } from "./app";

chosenTheme();
render(<App />, document.getElementById("app")!);
