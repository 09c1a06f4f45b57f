// The page in a real browser against a real `syncline demo`, one file after the other: they share two cores.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/browser/**/*.test.ts"],
    environment: "node",
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // A busy machine shows the same, only later.
    expect: { poll: { timeout: 10_000 } },
  },
});
