/** A file of an archive. */
export interface TarFile {
  /** With slashes; each part at most 100 bytes, those before the last together 155. */
  readonly path: string;
  readonly content: Buffer;
}

const BLOCK = 512;

/** An archive in the format of POSIX (ustar), which every tar reads. @throws RangeError for a path that does not fit */
export function tar(files: readonly TarFile[], modifiedMs: number): Buffer {
  const blocks = files.flatMap(({ path, content }) => [
    header(path, content.length, Math.floor(modifiedMs / 1_000)),
    content,
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

const CHECKSUM_AT = 148;
const CHECKSUM_LENGTH = 8;

/** Offsets and lengths: POSIX.1-1988, “ustar Interchange Format”. */
function header(path: string, size: number, modified: number): Buffer {
  const slash = path.lastIndexOf('/');
  const [folder, name] = [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)];
  if (Buffer.byteLength(name) > 100 || Buffer.byteLength(folder) > 155)
    throw new RangeError(`the path is too long for an archive: ${path}`);
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0, 100, 'utf8');
  block.write(folder, 345, 155, 'utf8');
  const octal = (value: number, at: number, length: number): void => {
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, length, 'latin1');
  };
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(modified, 136, 12);
  block.write('0', 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  // Its own bytes count as spaces.
  block.fill(' ', CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_LENGTH);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM_AT, CHECKSUM_LENGTH, 'latin1');
  return block;
}
