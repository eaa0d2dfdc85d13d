/** Control characters and marks of direction by their codes: nobody is to be misled by what they do to a line. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu,
    (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
