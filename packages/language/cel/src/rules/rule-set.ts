import type { JsonValue } from '@hawser/json';
import type { FieldError, JsonSchemaProps } from '@hawser/schema';
import type { Type } from '../check/type.js';
import { declarationOf } from '../schema/declaration.js';
import { escape } from '../schema/escape.js';
import { CorrelatedValue, uncorrelated } from './correlation.js';
import { RuleNode } from './node.js';

/** All rules of a schema. */
export interface RuleSet {
  /** Whether there are no rules. */
  readonly isEmpty: boolean;
  /**
   * Runs the rules on an object that has passed the schema, with defaults applied. Transition rules (those with
   * `oldSelf`) run only on an update with an old value; other rules forgive faults of unchanged values.
   *
   * @param oldObject - on an update, the former object
   * @returns problems, in the order of the schema's rules and the object's fields
   * @throws {UnsupportedExpression} for a rule that this package cannot run; `checkRules` finds these in advance
   */
  evaluate(object: JsonValue, oldObject?: JsonValue): FieldError[];
}

export interface CompileOptions {
  /**
   * Whether the schema is of a whole custom resource, whose rules see `apiVersion`, `kind` and part of the metadata.
   * Default true.
   */
  readonly isResource?: boolean;
}

const elementOf = (declaration: Type | undefined): Type | undefined =>
  declaration?.kind === 'list' ? declaration.element : declaration?.kind === 'map' ? declaration.value : undefined;

const isEmbedded = (schema: JsonSchemaProps): boolean => schema['x-kubernetes-embedded-resource'] === true;

/** The type of a property; a field without one is not validated at all. */
const propertyType = (declaration: Type | undefined, name: string, schema: JsonSchemaProps): Type | undefined => {
  const escaped = escape(name);
  if (escaped === undefined) {
    return declarationOf(schema, isEmbedded(schema), 'selfType');
  }
  return declaration?.kind === 'object' ? declaration.field(escaped) : undefined;
};

const propertyNodes = (schema: JsonSchemaProps, declaration: Type | undefined): Map<string, RuleNode> => {
  const nodes = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = propertyType(declaration, name, property);
    const node = type === undefined ? undefined : nodeOf(property, isEmbedded(property), type);
    if (node !== undefined) {
      nodes.set(name, node);
    }
  }
  return nodes;
};

const elementNode = (
  schema: JsonSchemaProps | boolean | undefined,
  declaration: Type | undefined,
): RuleNode | undefined =>
  typeof schema === 'object' ? nodeOf(schema, isEmbedded(schema), elementOf(declaration)) : undefined;

const nodeOf = (schema: JsonSchemaProps, isResource: boolean, declaration: Type | undefined): RuleNode | undefined => {
  const children = {
    items: elementNode(schema.items, declaration),
    properties: propertyNodes(schema, declaration),
    additional: elementNode(schema.additionalProperties, declaration),
  };
  const hasOwnRules = (schema['x-kubernetes-validations']?.length ?? 0) > 0;
  const isNeeded =
    hasOwnRules || children.items !== undefined || children.properties.size > 0 || children.additional !== undefined;
  return isNeeded ? new RuleNode(schema, isResource, declaration, children) : undefined;
};

/**
 * The rules of a structural schema (`x-kubernetes-validations`). Cheap: compiles a rule when its first value arrives.
 */
export const compileRules = (schema: JsonSchemaProps, options: CompileOptions = {}): RuleSet => {
  const isResource = options.isResource ?? true;
  const root = nodeOf(schema, isResource, declarationOf(schema, isResource, 'selfType'));
  return {
    isEmpty: root === undefined,
    evaluate: (object, oldObject) => {
      const errors: FieldError[] = [];
      const correlation =
        oldObject === undefined
          ? uncorrelated
          : { current: new CorrelatedValue(object, oldObject, schema), nearestParent: undefined };
      root?.evaluate({ path: '', value: object, oldValue: oldObject, correlation }, errors);
      return errors;
    },
  };
};
