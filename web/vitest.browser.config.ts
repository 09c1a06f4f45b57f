// The page in a real browser against a real `syncline demo`, one file after the other: they share two cores.
import { defineConfig } from "vitest/config";

// Five stories deliver hundreds of apps before there is anything to see: `make test-web-stories` takes that time.
const stories = "tests/browser/stories.test.ts";

export default defineConfig({
  test: {
    include: process.env.SYNCLINE_WEB_STORIES ? [stories] : ["tests/browser/**/*.test.ts"],
    exclude: process.env.SYNCLINE_WEB_STORIES ? [] : [stories],
    environment: "node",
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // A busy machine shows the same, only later.
    expect: { poll: { timeout: 10_000 } },
  },
});
