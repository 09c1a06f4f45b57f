// Components and the functions beneath them, without a browser.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["tests/unit/**/*.test.{ts,tsx}"], environment: "node" },
});
