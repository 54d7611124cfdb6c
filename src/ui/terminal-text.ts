// Width, wrapping and cutting of styled text. Imported file by file: the index of pi-tui would bring a Markdown parser
// and a screen with it.
export { truncateToWidth, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui/dist/utils.js";
export { matchesKey } from "@earendil-works/pi-tui/dist/keys.js";
