import type { UnstructuredObject } from '@hawser/client';
import { type FunctionMap, GoObject, type GoMap, TemplateError } from '@hawser/gotemplate';
import type { ResourceNaming } from '@hawser/syncagent-api';
import { type Compilation, Findings } from '../compilation.js';
import { describe, illegalCharacter, legalName } from './legal-name.js';
import { NamingError, type NamingField } from './naming-error.js';
import { fillPlaceholders, hasPlaceholders, literalPart } from './placeholders.js';
import { compileRule } from './rule-template.js';

export type Scope = 'Cluster' | 'Namespaced';

/** The place of a copy. */
export interface LocalName {
  readonly name: string;
  /** Undefined: the local kind is cluster-scoped. */
  readonly namespace: string | undefined;
}

/**
 * Name and namespace of an object's copy. `path` is the path of its workspace, if known.
 *
 * @throws {NamingError} if the rules yield no legal name
 */
export type Naming = (object: UnstructuredObject, cluster: string, path: string | undefined) => LocalName;

export interface NamingOptions {
  /** Functions for templates: `agentFunctions`. */
  readonly functions: FunctionMap;
  /** Scope of the local kind of the copies. */
  readonly localScope: Scope;
}

/**
 * Name of a copy in the namespace of its workspace: unique among the objects of all its namespaces
 * (`spec/api-syncagent.md §2.5`).
 */
const namespacedDefault = '{{ .Object.metadata.namespace | sha3short }}-{{ .Object.metadata.name | sha3short }}';

/** Name of a copy whose object has no namespace. */
const clusterDefault = '{{ .ClusterName }}-{{ .Object.metadata.name | sha3short }}';

/** Name of a copy without namespace, whose object has one: the hash also separates namespaces. */
const flatDefault =
  '{{ .ClusterName }}-{{ printf "%s/%s" .Object.metadata.namespace .Object.metadata.name | sha3short }}';

const namespaceDefault = '{{ .ClusterName }}';

/** A rule for one of the two fields. */
type Rule = (data: Subject) => string;

interface Subject {
  readonly object: UnstructuredObject;
  readonly cluster: string;
  readonly path: string | undefined;
}

/**
 * Compiles `spec.naming` of a PublishedResource (`spec/api-syncagent.md §11.3`) once for all objects: templates, or the
 * old placeholders where a rule has no `{{`. An empty rule means the default of that field. Reports all problems at
 * once.
 */
export function compileNaming(naming: ResourceNaming | undefined, options: NamingOptions): Compilation<Naming> {
  const { localScope } = options;
  const compilation = new RuleCompilation(options.functions);
  const ownName = naming?.name ?? '';
  const clusterName = compilation.rule('spec.naming.name', clusterDefault);
  const name =
    ownName !== ''
      ? compilation.rule('spec.naming.name', ownName)
      : defaultName(
          compilation.rule('spec.naming.name', localScope === 'Cluster' ? flatDefault : namespacedDefault),
          clusterName,
        );
  // Unused rules are checked too: a changed scope would use them.
  const namespace = compilation.rule('spec.naming.namespace', naming?.namespace || namespaceDefault);
  return compilation.findings.conclude<Naming>((object, cluster, path) => {
    const subject = { object, cluster, path };
    return {
      name: legalName('spec.naming.name', name(subject)),
      namespace: localScope === 'Cluster' ? undefined : legalName('spec.naming.namespace', namespace(subject)),
    };
  });
}

function defaultName(withNamespace: Rule, without: Rule): Rule {
  return (subject) => ((subject.object.metadata.namespace ?? '') === '' ? without(subject) : withNamespace(subject));
}

class RuleCompilation {
  readonly findings = new Findings();
  readonly #functions: FunctionMap;

  constructor(functions: FunctionMap) {
    this.#functions = functions;
  }

  rule(field: NamingField, text: string): Rule {
    return text.includes('{{') ? this.#template(field, text) : this.#placeholders(field, text);
  }

  #template(field: NamingField, text: string): Rule {
    try {
      const template = compileRule(text, field, this.#functions);
      return (subject) => {
        try {
          return template.render(dataOf(subject));
        } catch (error) {
          if (!(error instanceof TemplateError)) throw error;
          throw new NamingError(
            field,
            'template',
            `the template cannot be run on this object: ${error.message}`,
            'Correct the template in the PublishedResource, or the field of the object that it reads.',
            { cause: error },
          );
        }
      };
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      this.findings.error(field, error.message);
      return () => '';
    }
  }

  #placeholders(field: NamingField, text: string): Rule {
    const illegal = illegalCharacter(field, literalPart(text));
    if (illegal === '$')
      this.findings.error(
        field,
        'has a placeholder that does not exist; there are $remoteClusterName, $remoteNamespace, $remoteNamespaceHash, $remoteName and $remoteNameHash',
      );
    else if (illegal !== undefined)
      this.findings.error(field, `can never yield a legal name: it contains ${describe(illegal)}`);
    else if (hasPlaceholders(text))
      this.findings.warning(field, 'uses placeholders, which are deprecated; templates can do the same, and more');
    else if (field === 'spec.naming.name')
      this.findings.warning(field, 'is the same for all objects: only the first of a namespace gets a copy');
    return ({ object: { metadata }, cluster }) =>
      fillPlaceholders(text, { cluster, namespace: metadata.namespace ?? '', name: metadata.name });
  }
}

/** The data of a template (`spec/api-syncagent.md §14.2`). */
function dataOf({ object, cluster, path }: Subject): GoObject {
  return new GoObject({
    type: 'naming',
    fields: { Object: object as unknown as GoMap, ClusterName: cluster, ClusterPath: path ?? '' },
  });
}
