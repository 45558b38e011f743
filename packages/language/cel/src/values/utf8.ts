const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8; undefined for invalid bytes. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
};

export const encodeUtf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Characters (code points), as CEL counts and cuts them. */
export const characters = (text: string): string[] => Array.from(text);
