import { fn, type Library, method } from '../check/declarations.js';
import { opaque, types } from '../check/type.js';
import { Cidr, Ip } from '../values/ip.js';
import { noSuchOverload } from '../values/error.js';
import type { Value } from '../values/value.js';
import { instance, text } from './arguments.js';

const parses = (parse: (value: string) => unknown, value: string): boolean => {
  try {
    parse(value);
    return true;
  } catch {
    return false;
  }
};

const cidrOf = (value: Value | undefined): Cidr => {
  if (!(value instanceof Cidr)) {
    throw noSuchOverload();
  }
  return value;
};

const ipType = opaque('net.IP');
const cidrType = opaque('net.CIDR');
const { bool, int, string } = types;

const properties: readonly (readonly [string, (ip: Ip) => boolean])[] = [
  ['isUnspecified', (ip) => ip.isUnspecified],
  ['isLoopback', (ip) => ip.isLoopback],
  ['isLinkLocalMulticast', (ip) => ip.isLinkLocalMulticast],
  ['isLinkLocalUnicast', (ip) => ip.isLinkLocalUnicast],
  ['isGlobalUnicast', (ip) => ip.isGlobalUnicast],
];

/** IP addresses and ranges of them (`kubernetes.net.ip`, `kubernetes.net.cidr`). */
export const network: Library = [
  fn('ip', [string], ipType, (value) => Ip.parse(text(value))),
  fn('isIP', [string], bool, (value) => parses((address) => Ip.parse(address), text(value))),
  fn('ip.isCanonical', [string], bool, (value) => Ip.parse(text(value)).toString() === value),
  fn('string', [ipType], string, (value) => instance(Ip, value).toString()),
  method('family', [ipType], int, (value) => instance(Ip, value).family),
  ...properties.map(([name, get]) => method(name, [ipType], bool, (value) => get(instance(Ip, value)))),
  fn('cidr', [string], cidrType, (value) => Cidr.parse(text(value))),
  fn('isCIDR', [string], bool, (value) => parses((range) => Cidr.parse(range), text(value))),
  fn('string', [cidrType], string, (value) => cidrOf(value).toString()),
  method('containsIP', [cidrType, string], bool, (range, ip) => cidrOf(range).contains(Ip.parse(text(ip)))),
  method('containsIP', [cidrType, ipType], bool, (range, ip) => cidrOf(range).contains(instance(Ip, ip))),
  method('containsCIDR', [cidrType, string], bool, (range, other) =>
    cidrOf(range).containsCidr(Cidr.parse(text(other))),
  ),
  method('containsCIDR', [cidrType, cidrType], bool, (range, other) => cidrOf(range).containsCidr(cidrOf(other))),
  method('ip', [cidrType], ipType, (range) => cidrOf(range).ip),
  method('prefixLength', [cidrType], int, (range) => BigInt(cidrOf(range).prefixLength)),
  method('masked', [cidrType], cidrType, (range) => cidrOf(range).masked()),
];
