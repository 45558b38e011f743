import { canonical } from '@hawser/json';
import type { FieldError } from '../field-error.js';
import { invalid, required } from '../field-errors.js';
import { childPath, indexPath } from '../field-path.js';
import { isPrintable } from '../go-text.js';
import { dns1035LabelErrors } from '../names.js';
import type { CrdNames, CrdPrinterColumn, CrdSubresources, CrdVersion } from './custom-resource-definition.js';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Problems of names, in `spec` or in `status`. Does not check which names are required. */
export function nameErrors(names: CrdNames, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const check = (field: 'plural' | 'singular' | 'kind' | 'listKind', mixedCase: boolean): void => {
    const name = names[field] ?? '';
    const wrong = name === '' ? [] : dns1035LabelErrors(mixedCase ? name.toLowerCase() : name);
    if (wrong.length > 0)
      errors.push(
        invalid(
          childPath(path, field),
          name,
          `${mixedCase ? 'may have mixed case, but should otherwise match: ' : ''}${wrong.join(',')}`,
        ),
      );
  };
  check('plural', false);
  check('singular', false);
  check('kind', true);
  check('listKind', true);
  errors.push(...labelListErrors(names.shortNames ?? [], childPath(path, 'shortNames')));
  if ((names.kind ?? '') !== '' && names.kind === names.listKind)
    errors.push(invalid(childPath(path, 'listKind'), names.listKind ?? '', 'kind and listKind may not be the same'));
  return [...errors, ...labelListErrors(names.categories ?? [], childPath(path, 'categories'))];
}

const labelListErrors = (labels: readonly string[], path: string): FieldError[] =>
  labels.flatMap((label, index) => {
    const wrong = dns1035LabelErrors(label);
    return wrong.length === 0 ? [] : [invalid(indexPath(path, index), label, wrong.join(','))];
  });

export function deprecationErrors(version: CrdVersion, path: string): FieldError[] {
  const warning = version.deprecationWarning;
  if (warning === undefined) return [];
  return deprecationDetails(warning, version.deprecated ?? false).map((detail) => ({
    ...invalid(childPath(path, 'deprecationWarning'), warning, detail),
    shown: canonical(warning),
  }));
}

function deprecationDetails(warning: string, deprecated: boolean): string[] {
  if (!deprecated) return ['can only be set for deprecated versions'];
  const details: string[] = [];
  if (Buffer.byteLength(warning) > 256) details.push('must be <= 256 characters long');
  if (warning === '') details.push('must not be an empty string');
  let position = 0;
  for (const char of warning) {
    if (!isPrintable(char)) {
      details.push(`must only contain printable UTF-8 characters; non-printable character found at index ${position}`);
      break;
    }
    position += Buffer.byteLength(char);
  }
  return details;
}

export function printerColumnErrors(columns: readonly CrdPrinterColumn[], path: string): FieldError[] {
  return columns.flatMap((column, index) => {
    const at = indexPath(path, index);
    const errors: FieldError[] = [];
    const { name = '', type = '', format = '', jsonPath = '' } = column;
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (name === '') errors.push(required(childPath(at, 'name')));
    if (type === '') errors.push(required(childPath(at, 'type'), types));
    else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(childPath(at, 'type'), type, types));
    if (format !== '' && !COLUMN_FORMATS.includes(format))
      errors.push(invalid(childPath(at, 'format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`));
    if (jsonPath === '') errors.push(required(childPath(at, 'JSONPath')));
    else errors.push(...simplePathErrors(jsonPath, childPath(at, 'JSONPath')));
    return errors;
  });
}

export function subresourceErrors(subresources: CrdSubresources | undefined, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const selector = scale.labelSelectorPath ?? '';
  return [
    ...replicasErrors(scale.specReplicasPath ?? '', '.spec.', childPath(path, 'scale.specReplicasPath')),
    ...replicasErrors(scale.statusReplicasPath ?? '', '.status.', childPath(path, 'scale.statusReplicasPath')),
    ...(selector === ''
      ? []
      : pathErrors(
          selector,
          ['.spec.', '.status.'],
          'either .spec or .status',
          childPath(path, 'scale.labelSelectorPath'),
        )),
  ];
}

const replicasErrors = (replicasPath: string, under: string, path: string): FieldError[] =>
  replicasPath === '' ? [required(path)] : pathErrors(replicasPath, [under], under.slice(0, -1), path);

function pathErrors(jsonPath: string, prefixes: readonly string[], under: string, path: string): FieldError[] {
  const errors = simplePathErrors(jsonPath, path);
  if (errors.length > 0 || prefixes.some((prefix) => jsonPath.startsWith(prefix))) return errors;
  return [invalid(path, jsonPath, `should be a json path under ${under}`)];
}

const simplePathErrors = (jsonPath: string, path: string): FieldError[] =>
  jsonPath.startsWith('.') ? [] : [invalid(path, jsonPath, 'must be a simple json path starting with .')];
