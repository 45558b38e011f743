import { type JsonObject, equal } from '@hawser/json';
import type { FieldError } from '@hawser/schema';
import { item, required, child, invalid, notSupported } from '../../object/invalid.js';
import { objectsField, arrayField, stringField, objectField } from '../../object/json.js';
import { pathSegment, nameIsSubdomain } from '../../object/names.js';
import { validateLabelSelector, SELECTOR_OPERATORS } from '../../object/validate-label-selector.js';
import type { Strategy } from '../resource-type.js';
import { strategyOf } from './strategies.js';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

function validateRules(role: JsonObject, namespaced: boolean): readonly FieldError[] {
  return objectsField(role, 'rules').flatMap((rule, index) => validateRule(rule, namespaced, item('rules', index)));
}

function validateRule(rule: JsonObject, namespaced: boolean, path: string): readonly FieldError[] {
  const has = (key: string): boolean => arrayField(rule, key).length > 0;
  const errors: FieldError[] = [];
  if (!has('verbs')) errors.push(required(child(path, 'verbs'), 'verbs must contain at least one value'));
  if (has('nonResourceURLs')) {
    const urls = arrayField(rule, 'nonResourceURLs');
    if (namespaced)
      errors.push(invalid(child(path, 'nonResourceURLs'), urls, 'namespaced rules cannot apply to non-resource URLs'));
    if (has('apiGroups') || has('resources') || has('resourceNames')) {
      errors.push(
        invalid(
          child(path, 'nonResourceURLs'),
          urls,
          'rules cannot apply to both regular resources and non-resource URLs',
        ),
      );
    }
    return errors;
  }
  if (!has('apiGroups'))
    errors.push(required(child(path, 'apiGroups'), 'resource rules must supply at least one api group'));
  if (!has('resources'))
    errors.push(required(child(path, 'resources'), 'resource rules must supply at least one resource'));
  return errors;
}

function validateRoleSelector(selector: JsonObject, path: string): readonly FieldError[] {
  const errors = validateLabelSelector(selector, path);
  const isConvertible = objectsField(selector, 'matchExpressions').every((expression) =>
    SELECTOR_OPERATORS.includes(stringField(expression, 'operator')),
  );
  return isConvertible ? errors : [...errors, invalid(path, null, 'invalid label selector.')];
}

function roleStrategy(namespaced: boolean): Strategy {
  return strategyOf({
    namespaced,
    nameRule: pathSegment,
    allowCreateOnUpdate: true,
    validate(role) {
      const aggregation = objectField(role, 'aggregationRule');
      const errors = validateRules(role, namespaced);
      if (namespaced || aggregation === undefined) return errors;
      const selectors = objectsField(aggregation, 'clusterRoleSelectors');
      if (selectors.length > 0)
        return [
          ...errors,
          ...selectors.flatMap((selector, index) =>
            validateRoleSelector(selector, item('aggregationRule.clusterRoleSelectors', index)),
          ),
        ];
      return [
        ...errors,
        required(
          'aggregationRule.clusterRoleSelectors',
          'at least one clusterRoleSelector required if aggregationRule is non-nil',
        ),
      ];
    },
  });
}

export const clusterRoleStrategy = roleStrategy(false);

export const namespacedRoleStrategy = roleStrategy(true);

function bindingStrategy(namespaced: boolean): Strategy {
  return strategyOf({
    namespaced,
    nameRule: pathSegment,
    allowCreateOnUpdate: true,
    validate(binding) {
      const ref = objectField(binding, 'roleRef') ?? {};
      const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
      const errors: FieldError[] = [];
      const name = stringField(ref, 'name');
      if (stringField(ref, 'apiGroup') !== RBAC_GROUP)
        errors.push(notSupported('roleRef.apiGroup', stringField(ref, 'apiGroup'), [RBAC_GROUP]));
      if (!kinds.includes(stringField(ref, 'kind')))
        errors.push(notSupported('roleRef.kind', stringField(ref, 'kind'), kinds));
      if (name === '') errors.push(required('roleRef.name', ''));
      else errors.push(...pathSegment(name).map((message) => invalid('roleRef.name', name, message)));
      const subjects = objectsField(binding, 'subjects').flatMap((subject, index) =>
        validateSubject(subject, namespaced, item('subjects', index)),
      );
      return [...errors, ...subjects];
    },
    validateUpdate: (binding, old) =>
      equal(binding['roleRef'], old['roleRef'])
        ? []
        : [invalid('roleRef', goRoleRef(binding), 'cannot change roleRef')],
  });
}

/** In the order and with the names of Go's internal struct, which has no JSON names. */
function goRoleRef(binding: JsonObject): JsonObject {
  const ref = objectField(binding, 'roleRef') ?? {};
  return { APIGroup: stringField(ref, 'apiGroup'), Kind: stringField(ref, 'kind'), Name: stringField(ref, 'name') };
}

function validateSubject(subject: JsonObject, namespaced: boolean, path: string): readonly FieldError[] {
  const name = stringField(subject, 'name');
  const group = stringField(subject, 'apiGroup');
  const kind = stringField(subject, 'kind');
  const errors: FieldError[] = name === '' ? [required(child(path, 'name'), '')] : [];
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '')
        errors.push(...nameIsSubdomain(name).map((message) => invalid(child(path, 'name'), name, message)));
      if (group !== '') errors.push(notSupported(child(path, 'apiGroup'), group, ['']));
      if (!namespaced && stringField(subject, 'namespace') === '') errors.push(required(child(path, 'namespace'), ''));
      return errors;
    case 'User':
    case 'Group':
      return group === RBAC_GROUP ? errors : [...errors, notSupported(child(path, 'apiGroup'), group, [RBAC_GROUP])];
    default:
      return [...errors, notSupported(child(path, 'kind'), kind, ['ServiceAccount', 'User', 'Group'])];
  }
}

export const clusterRoleBindingStrategy = bindingStrategy(false);

export const roleBindingStrategy = bindingStrategy(true);
