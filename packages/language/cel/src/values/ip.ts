import { CelError, noSuchOverload } from './error.js';
import type { OpaqueValue, Value } from './value.js';

interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** A text as Go's `%q` prints it. */
export const goQuote = (text: string): string => JSON.stringify(text);

const v4Field = 'IPv4 field must have at least one digit';

/** @throws {CelError} with the message of Go's `netip.ParseAddr`, position included */
class AddressParser {
  constructor(private readonly text: string) {}

  parse(): Address & { readonly zone: string } {
    const separator = /[.:%]/.exec(this.text)?.[0];
    if (separator === '.') {
      return { bits: 32, value: this.#v4(this.text), zone: '' };
    }
    if (separator === ':') {
      return this.#withZone();
    }
    throw this.#failure(separator === '%' ? 'missing IPv6 address' : 'unable to parse IP');
  }

  #failure(reason: string, at = ''): CelError {
    return new CelError(`ParseAddr(${goQuote(this.text)}): ${reason}${at === '' ? '' : ` (at ${goQuote(at)})`}`);
  }

  #v4(text: string): bigint {
    const fields = text.split('.');
    let rest = text;
    for (const [index, field] of fields.entries()) {
      this.#checkV4Field(field, rest);
      const next = rest.slice(field.length);
      if (next !== '' && (field === '' || next.length === 1)) {
        throw this.#failure(v4Field, next);
      }
      if (next !== '' && index === 3) {
        throw this.#failure('IPv4 address too long');
      }
      if (next.startsWith('..')) {
        throw this.#failure(v4Field, next.slice(1));
      }
      rest = next.slice(1);
    }
    if (fields.length < 4) {
      throw this.#failure('IPv4 address too short');
    }
    return fields.reduce((value, field) => value * 256n + BigInt(field), 0n);
  }

  /** The first wrong character decides. */
  #checkV4Field(field: string, rest: string): void {
    for (let length = 1; length <= field.length; length += 1) {
      const digits = field.slice(0, length);
      if (!/\d$/.test(digits)) {
        throw this.#failure('unexpected character', rest.slice(length - 1));
      }
      if (/^0\d/.test(digits)) {
        throw this.#failure('IPv4 field has octet with leading zero');
      }
      if (Number(digits) > 255) {
        throw this.#failure('IPv4 field has value >255');
      }
    }
  }

  #withZone(): Address & { readonly zone: string } {
    const percent = this.text.indexOf('%');
    if (percent === this.text.length - 1) {
      throw this.#failure('zone must be a non-empty string');
    }
    const value = this.#v6(percent < 0 ? this.text : this.text.slice(0, percent));
    return { bits: 128, value, zone: percent < 0 ? '' : this.text.slice(percent + 1) };
  }

  #v6(text: string): bigint {
    const groups: bigint[] = [];
    let ellipsis = text.startsWith('::') ? 0 : undefined;
    let rest = ellipsis === undefined ? text : text.slice(2);
    while (groups.length < 8 && (rest !== '' || ellipsis === undefined)) {
      const digits = this.#group(rest);
      if (rest.charAt(digits.length) === '.') {
        groups.push(...this.#embeddedV4(rest, groups.length, ellipsis !== undefined));
        rest = '';
        break;
      }
      groups.push(BigInt(`0x${digits}`));
      rest = rest.slice(digits.length);
      if (rest === '') {
        break;
      }
      rest = this.#afterColon(rest);
      if (rest.startsWith(':')) {
        if (ellipsis !== undefined) {
          throw this.#failure('multiple :: in address', rest);
        }
        ellipsis = groups.length;
        rest = rest.slice(1);
      }
    }
    if (rest !== '') {
      throw this.#failure('trailing garbage after address', rest);
    }
    return this.#expanded(groups, ellipsis).reduce((value, group) => value * 65536n + group, 0n);
  }

  #group(rest: string): string {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
    if (digits.length > 4) {
      throw this.#failure('each group must have 4 or less digits', rest);
    }
    if (digits === '') {
      throw this.#failure('each colon-separated field must have at least one digit', rest);
    }
    return digits;
  }

  #embeddedV4(rest: string, groups: number, hasEllipsis: boolean): readonly bigint[] {
    if (!hasEllipsis && groups !== 6) {
      throw this.#failure('embedded IPv4 address must replace the final 2 fields of the address', rest);
    }
    if (groups > 6) {
      throw this.#failure('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
    }
    const value = this.#v4(rest);
    return [value >> 16n, value & 0xffffn];
  }

  #afterColon(rest: string): string {
    if (!rest.startsWith(':')) {
      throw this.#failure('unexpected character, want colon', rest);
    }
    if (rest.length === 1) {
      throw this.#failure('colon must be followed by more characters', rest);
    }
    return rest.slice(1);
  }

  #expanded(groups: readonly bigint[], ellipsis: number | undefined): readonly bigint[] {
    if (groups.length === 8) {
      if (ellipsis !== undefined) {
        throw this.#failure('the :: must expand to at least one field of zeros');
      }
      return groups;
    }
    if (ellipsis === undefined) {
      throw this.#failure('address string too short');
    }
    return [...groups.slice(0, ellipsis), ...Array<bigint>(8 - groups.length).fill(0n), ...groups.slice(ellipsis)];
  }
}

const parseWith = (text: string, describe: (reason: string) => string): ReturnType<AddressParser['parse']> => {
  try {
    return new AddressParser(text).parse();
  } catch (error) {
    throw error instanceof CelError ? new CelError(describe(error.message)) : error;
  }
};

const isV4Mapped = ({ bits, value }: Address): boolean => bits === 128 && value >> 32n === 0xffffn;

const v4Text = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');

const v6Text = (value: bigint): string => {
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16));
  const zeros = groups.map((_, start) => {
    const end = groups.findIndex((group, index) => index >= start && group !== '0');
    return (end < 0 ? groups.length : end) - start;
  });
  const longest = Math.max(...zeros);
  if (longest < 2) {
    return groups.join(':');
  }
  const start = zeros.indexOf(longest);
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + longest).join(':')}`;
};

const within = ({ value, bits }: Address, prefix: bigint, length: number): boolean =>
  value >> BigInt(bits - length) === prefix;

/** An IP address: without zone, and not IPv4-mapped IPv6. */
export class Ip implements OpaqueValue {
  readonly typeName = 'net.IP';

  constructor(readonly address: Address) {}

  /** @throws {CelError} */
  static parse(text: string): Ip {
    const parsed = parseWith(
      text,
      (reason) => `IP Address ${goQuote(text)} parse error during conversion from string: ${reason}`,
    );
    if (parsed.zone !== '') {
      throw new CelError(`IP address ${goQuote(text)} with zone value is not allowed`);
    }
    if (isV4Mapped(parsed)) {
      throw new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
    }
    return new Ip({ bits: parsed.bits, value: parsed.value });
  }

  equals(other: Value): boolean {
    if (!(other instanceof Ip)) {
      throw noSuchOverload();
    }
    return this.address.bits === other.address.bits && this.address.value === other.address.value;
  }

  get family(): bigint {
    return this.address.bits === 32 ? 4n : 6n;
  }

  get isUnspecified(): boolean {
    return this.address.value === 0n;
  }

  get isLoopback(): boolean {
    return this.address.bits === 32 ? within(this.address, 127n, 8) : this.address.value === 1n;
  }

  get isLinkLocalMulticast(): boolean {
    return this.address.bits === 32
      ? within(this.address, 0xe00000n, 24)
      : ((this.address.value >> 112n) & 0xff0fn) === 0xff02n;
  }

  get isLinkLocalUnicast(): boolean {
    return this.address.bits === 32 ? within(this.address, 0xa9fen, 16) : within(this.address, 0x3fan, 10);
  }

  get isMulticast(): boolean {
    return this.address.bits === 32 ? within(this.address, 0xen, 4) : within(this.address, 0xffn, 8);
  }

  get isGlobalUnicast(): boolean {
    const isBroadcast = this.address.bits === 32 && this.address.value === 0xffffffffn;
    return !isBroadcast && !this.isUnspecified && !this.isLoopback && !this.isMulticast && !this.isLinkLocalUnicast;
  }

  toString(): string {
    return this.address.bits === 32 ? v4Text(this.address.value) : v6Text(this.address.value);
  }
}

/** A range of IP addresses. The address may have bits beyond the prefix. */
export class Cidr implements OpaqueValue {
  readonly typeName = 'net.CIDR';

  private constructor(
    readonly ip: Ip,
    readonly prefixLength: number,
  ) {}

  /** @throws {CelError} */
  static parse(text: string): Cidr {
    const prefix = 'network address parse error during conversion from string: ';
    const fail = (reason: string): CelError =>
      new CelError(`${prefix}${prefix}netip.ParsePrefix(${goQuote(text)}): ${reason}`);
    const slash = text.lastIndexOf('/');
    if (slash < 0) {
      throw fail("no '/'");
    }
    const address = parseWith(text.slice(0, slash), (reason) => fail(reason).message);
    const length = text.slice(slash + 1);
    if (address.zone !== '') {
      throw fail('IPv6 zones cannot be present in a prefix');
    }
    if (!/^(?:0|[1-9]\d*)$/.test(length)) {
      throw fail(`bad bits after slash: ${goQuote(length)}`);
    }
    if (Number(length) > address.bits) {
      throw fail(`prefix length out of range`);
    }
    if (isV4Mapped(address)) {
      throw new CelError(`${prefix}IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
    }
    return new Cidr(new Ip({ bits: address.bits, value: address.value }), Number(length));
  }

  equals(other: Value): boolean {
    if (!(other instanceof Cidr)) {
      throw noSuchOverload();
    }
    return this.ip.equals(other.ip) && this.prefixLength === other.prefixLength;
  }

  contains({ address }: Ip): boolean {
    const { bits, value } = this.ip.address;
    const shift = BigInt(bits - this.prefixLength);
    return address.bits === bits && address.value >> shift === value >> shift;
  }

  containsCidr(other: Cidr): boolean {
    return this.prefixLength <= other.prefixLength && this.contains(other.ip);
  }

  masked(): Cidr {
    const { bits, value } = this.ip.address;
    const shift = BigInt(bits - this.prefixLength);
    return new Cidr(new Ip({ bits, value: (value >> shift) << shift }), this.prefixLength);
  }

  toString(): string {
    return `${this.ip.toString()}/${this.prefixLength}`;
  }
}
