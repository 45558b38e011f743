const HEX = '[0-9a-fA-F]';

/** Octets with one separator throughout, pairs of octets with dots, or no separator at all. */
const SHAPES = [
  `${HEX}{2}(?::${HEX}{2})*`,
  `${HEX}{2}(?:-${HEX}{2})*`,
  `${HEX}{4}(?:\\.${HEX}{4})*`,
  `(?:${HEX}{2})*`,
].map((shape) => new RegExp(`^${shape}$`));

/** An EUI-48, an EUI-64, or a 20-octet IP over InfiniBand address, as Go's `net.ParseMAC` reads them. */
export function isMac(text: string): boolean {
  const octets = text.replaceAll(/[:.-]/g, '').length / 2;
  return [6, 8, 20].includes(octets) && SHAPES.some((shape) => shape.test(text));
}
