import { expect, test } from "vitest";
import { formatSize } from "../../src/format/size.ts";

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 KB"],
  [1536, "1.5 KB"],
  [1024 ** 2 - 1, "1 MB"],
  [5 * 1024 ** 3, "5 GB"],
  [-1, "0 B"],
])("%d bytes read %s", (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});
