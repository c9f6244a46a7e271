/** Text a reader would see that does not come from a catalogue: between tags, or in an attribute that is read out. */
const READ = /\s(?:aria-label|title|placeholder|alt|label|aria-description)="([^"{]*)"/g;
const LETTERS = /\p{L}{2,}/u;

export function literals(source: string): string[] {
  const markup = source
    .replace(/<script[\s\S]*?<\/script>/g, '')
    .replace(/<style[\s\S]*?<\/style>/g, '')
    .replace(/<!--[\s\S]*?-->/g, '');
  const attributes = [...markup.matchAll(READ)].map((found) => found[1]!);
  return [...attributes, ...texts(markup)].map((text) => text.trim()).filter((text) => LETTERS.test(text));
}

/** The text outside of tags and braces; both may hold the other's signs. */
function texts(markup: string): string[] {
  const found: string[] = [];
  let [text, depth, inTag, quote] = ['', 0, false, ''];
  for (const sign of markup) {
    if (quote) {
      if (sign === quote) quote = '';
    } else if (depth) {
      if (sign === '{') depth += 1;
      else if (sign === '}') depth -= 1;
    } else if (inTag) {
      if (sign === '{') depth += 1;
      else if (sign === '"') quote = sign;
      else if (sign === '>') inTag = false;
    } else if (sign === '<' || sign === '{') {
      found.push(text);
      text = '';
      if (sign === '<') inTag = true;
      else depth = 1;
    } else text += sign;
  }
  return [...found, text];
}
