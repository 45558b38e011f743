import { parseBoolean, parseNumber } from '../go-number.js';
import { compareText } from '../node/compare.js';
import type { Node } from '../node/node.js';
import type { Query } from './query.js';
import { fits } from './wildcard.js';

/** Whether a query's value in an element satisfies its comparison. */
export function queryMatches({ operator, operand }: Query, found: Node | undefined): boolean {
  if (operand.startsWith('~')) {
    const is = isRoughly(operand.slice(1), found);
    return is !== undefined && (operator === '' || truthMatches(is, operator, 'true'));
  }
  if (found === undefined) return false;
  if (operator === '') return true;
  switch (found.kind) {
    case 'string':
      if (operator === '%') return fits(found.text, operand);
      if (operator === '!%') return !fits(found.text, operand);
      return orderMatches(compareText(found.text, operand), operator);
    case 'number':
      return numberMatches(found, operator, operand);
    case 'true':
    case 'false':
      return truthMatches(found.kind === 'true', operator, operand);
    case 'null':
    case 'json':
      return false;
  }
}

/** `~true`, `~false`, `~null` and `~*`: counts as true, as false, as null, or exists at all. */
function isRoughly(what: string, found: Node | undefined): boolean | undefined {
  switch (what) {
    case '*':
      return found !== undefined;
    case 'null':
      return found === undefined || found.kind === 'null';
    case 'true':
      return truthOf(found) === true;
    case 'false':
      return found === undefined || found.kind === 'null' || truthOf(found) === false;
    default:
      return undefined;
  }
}

function truthOf(found: Node | undefined): boolean | undefined {
  switch (found?.kind) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'string':
      return parseBoolean(found.text);
    case 'number':
      return found.number !== 0;
    case 'null':
    case 'json':
    case undefined:
      return undefined;
  }
}

function truthMatches(found: boolean, operator: string, operand: string): boolean {
  switch (operator) {
    case '=':
      return operand === String(found);
    case '!=':
      return operand !== String(found);
    case '>':
      return found && operand === 'false';
    case '<':
      return !found && operand === 'true';
    case '>=':
      return found;
    case '<=':
      return !found;
    default:
      return false;
  }
}

function numberMatches(found: Node, operator: string, operand: string): boolean {
  if (typeof found.value === 'bigint' && /^-?[0-9]+$/u.test(operand)) {
    const wanted = BigInt(operand);
    return orderMatches(found.value < wanted ? -1 : Number(found.value > wanted), operator);
  }
  const wanted = parseNumber(operand);
  if (Number.isNaN(found.number) || Number.isNaN(wanted)) return operator === '!=';
  return orderMatches(found.number < wanted ? -1 : Number(found.number > wanted), operator);
}

function orderMatches(order: number, operator: string): boolean {
  switch (operator) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    default:
      return false;
  }
}
