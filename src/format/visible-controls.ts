/**
 * Text as it is, with its control characters made visible: `␛[2J` for an escape sequence, `␍` for a carriage return.
 * For what a person is asked to trust, such as a command: dropping or obeying them could hide a part of it. Newlines
 * stay; a tab is three spaces; characters that change the direction of the text show as `�`.
 */
export function showControls(text: string): string {
  return text.replaceAll("\t", "   ").replace(CONTROLS, (character) => {
    const unit = character.charCodeAt(0);
    if (unit < 0x20) return String.fromCharCode(0x2400 + unit);
    return unit === 0x7f ? "␡" : "\ufffd";
  });
}

const CONTROLS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/g;
