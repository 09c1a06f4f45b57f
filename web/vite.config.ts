// Builds the page into the Python package, from where the wheel carries it. No plug-ins: esbuild knows JSX.
import { defineConfig } from "vite";

const server = process.env.SYNCLINE_SERVER ?? "http://127.0.0.1:8080";

export default defineConfig({
  base: "/",
  build: {
    outDir: "../src/syncline/server/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the server's policy allows no data: addresses
    reportCompressedSize: true,
  },
  server: { proxy: { "/api": server, "/healthz": server, "/demo": server } },
});
