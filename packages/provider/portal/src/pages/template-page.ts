import {
  type APIServiceExportTemplate,
  type CustomResourceDefinition,
  type PermissionClaim,
  claimId,
  claimInWords,
  resourceGroupName,
  wantsApproval,
} from '@hawser/kube-bind';
import { type ComponentChildren, h } from 'preact';
import type { ConsumerCluster } from '../consumers.js';
import { namePattern } from '../schemas.js';
import { type Flow, queryOfFlow } from './flow.js';
import { ICON, iconImage } from './icon.js';
import { formTokenField } from './layout.js';
import { specFields } from './schema-fields.js';
import { table } from './table.js';

export interface TemplateView {
  readonly template: APIServiceExportTemplate;
  /** The CRDs of the offer. */
  readonly apis: readonly CustomResourceDefinition[];
  readonly flow: Flow | undefined;
  readonly formToken: string;
  /** Public URL of the portal. */
  readonly publicUrl: URL;
  /** Clusters that the person has bound before. */
  readonly clusters: readonly ConsumerCluster[];
}

/** Shows the offer and both sides' agreement, before anything happens. */
export function templatePage(view: TemplateView): ComponentChildren {
  const { template, flow } = view;
  const { spec, metadata } = template;
  return [
    h('p', null, h('a', { href: `/${queryOfFlow(flow)}` }, 'Back to all')),
    h('h1', null, iconImage(template), metadata.name),
    spec.description === undefined ? null : h('p', null, spec.description),
    h('h2', null, 'What you get'),
    resourceTable(template),
    offerFacts(template),
    ...view.apis.map((crd) => schemaDetails(template, crd)),
    h('h2', null, 'What the provider may do in your cluster'),
    ...claims(template),
    h('h2', null, 'What your cluster gets at the provider'),
    h(
      'ul',
      null,
      h('li', null, 'A namespace and an account of its own.'),
      h('li', null, 'It may write the objects above, and read their status.'),
    ),
    h('h2', null, 'What deleting means'),
    h(
      'ul',
      null,
      h('li', null, 'An object that you delete is deleted at the provider, too, with its data.'),
      h(
        'li',
        null,
        'Unbinding deletes nothing by default: the copies stay at the provider until you or the provider delete them.',
      ),
    ),
    wantsApproval(template)
      ? h('p', { class: 'box waits' }, 'The provider approves each consumer of this API. Until then the binding waits.')
      : null,
    ...(flow === undefined ? [bundleForm(view), terminalHelp(view)] : [terminalForm(view, flow)]),
  ];
}

function resourceTable({ spec }: APIServiceExportTemplate): ComponentChildren {
  return table(
    'APIs',
    ['API', 'Versions', 'Scope'],
    spec.resources.map(({ resource, group, versions = [] }) => [
      h('code', null, `${resource}.${group}`),
      versions.length === 0 ? 'all that are served' : versions.join(', '),
      spec.scope,
    ]),
  );
}

/** The provider's further facts: price, service level, contact. */
function offerFacts({ metadata: { annotations = {} } }: APIServiceExportTemplate): ComponentChildren {
  const rows = Object.entries(annotations)
    .filter(([key]) => key.startsWith(FACT) && key !== ICON)
    .map(([key, value]) => [key.slice(FACT.length).replaceAll(/[-_.]/gu, ' '), value])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
  return rows.length === 0 ? null : table('Facts', undefined, rows);
}

/** Prefix of template annotations shown on the page. */
const FACT = 'catalogue.hawser.dev/';

function schemaDetails({ spec }: APIServiceExportTemplate, crd: CustomResourceDefinition): ComponentChildren {
  const { name } = crd.metadata;
  const { versions = [] } = spec.resources.find((one) => resourceGroupName(one) === name) ?? {};
  const served = crd.spec.versions.filter(
    (one) => one.served && (versions.length === 0 || versions.includes(one.name)),
  );
  const version = served.find(({ storage }) => storage) ?? served[0];
  const { fields, more } = specFields(version?.schema?.openAPIV3Schema);
  if (version === undefined || fields.length === 0) return null;
  const title = `Fields of ${crd.spec.names.kind} ${version.name}`;
  return h(
    'details',
    null,
    h('summary', null, title),
    table(
      title,
      ['Field', 'Holds', ''],
      fields.map(({ path, type, isRequired, description }) => [
        h('code', null, path),
        isRequired ? `${type}, required` : type,
        description,
      ]),
    ),
    more ? h('p', { class: 'quiet-text' }, 'There are more: kubectl explain shows them once it is bound.') : null,
  );
}

function claims({ spec }: APIServiceExportTemplate): readonly ComponentChildren[] {
  const { permissionClaims = [], namespaces = [] } = spec;
  const items = [
    'It writes the status of the objects above, and installs their API.',
    ...permissionClaims.map(
      (claim) => `It reads and writes ${claimInWords(claim)}, in the namespaces where you have objects of this API.`,
    ),
    ...(namespaces.length === 0
      ? []
      : [`It makes these namespaces: ${namespaces.map(({ name }) => name).join(', ')}.`]),
  ];
  return [
    h(
      'ul',
      null,
      items.map((text) => h('li', null, text)),
    ),
    h('p', { class: 'quiet-text' }, secretsInWords(permissionClaims)),
  ];
}

function secretsInWords(claimed: readonly PermissionClaim[]): string {
  const secrets = claimed.filter(({ group = '', resource }) => group === '' && resource === 'secrets');
  if (secrets.length === 0) return 'It reads no Secret of yours.';
  return secrets.some((claim) => claimInWords(claim) === 'all secrets')
    ? 'These are all Secrets in those namespaces, including those of other people.'
    : 'It reads no other Secret of yours.';
}

/** For a waiting terminal: it knows its cluster. A terminal without code exchange asks for the claims itself. */
function terminalForm({ template, formToken }: TemplateView, flow: Flow): ComponentChildren {
  const { name } = template.metadata;
  return h(
    'form',
    { method: 'post', action: `/templates/${encodeURIComponent(name)}${queryOfFlow(flow)}`, class: 'box' },
    formTokenField(formToken),
    nameField(name),
    h('p', { class: 'quiet-text' }, 'Cluster ', h('code', null, flow.consumerId)),
    flow.byCode ? claimFields(template) : null,
    h('p', null, h('button', { type: 'submit' }, 'Agree and bind')),
  );
}

/** For a person in a browser, who chooses the cluster and accepts claims. */
function bundleForm({ template, formToken, clusters }: TemplateView): ComponentChildren {
  const { name } = template.metadata;
  return h(
    'form',
    { method: 'post', action: `/templates/${encodeURIComponent(name)}`, class: 'box' },
    formTokenField(formToken),
    h('h2', null, 'Bind it'),
    nameField(name),
    h('label', { for: 'cluster' }, 'Your cluster'),
    h('input', {
      type: 'text',
      id: 'cluster',
      name: 'cluster',
      required: true,
      maxLength: 1_024,
      autoComplete: 'off',
      list: 'clusters',
      'aria-describedby': 'cluster-help',
    }),
    h(
      'datalist',
      { id: 'clusters' },
      clusters.map(({ identity, prettyName }) => h('option', { value: identity }, prettyName)),
    ),
    h(
      'p',
      { class: 'quiet-text', id: 'cluster-help' },
      'Run this in your cluster, and paste what it prints: ',
      h('code', null, IDENTITY_COMMAND),
    ),
    h('label', { for: 'cluster_name' }, 'A name for your cluster'),
    h('input', { type: 'text', id: 'cluster_name', name: 'cluster_name', maxLength: 253, autoComplete: 'off' }),
    claimFields(template),
    h('p', null, h('button', { type: 'submit' }, 'Agree and bind')),
  );
}

const IDENTITY_COMMAND = "kubectl get namespace kube-system -o jsonpath='{.metadata.uid}'";

/** One box per claim. An unticked claim is not granted, and the rest still works. */
function claimFields({ spec: { permissionClaims = [] } }: APIServiceExportTemplate): ComponentChildren {
  if (permissionClaims.length === 0) return null;
  return h(
    'fieldset',
    null,
    h('legend', null, 'You let the provider read and write'),
    permissionClaims.map((claim) => {
      const id = claimId(claim);
      return h(
        'label',
        { class: 'choice' },
        h('input', { type: 'checkbox', name: 'claim', value: id }),
        h('span', null, claimInWords(claim)),
      );
    }),
  );
}

function nameField(name: string): ComponentChildren {
  return [
    h('label', { for: 'name' }, 'Name of the binding in your cluster'),
    h('input', {
      type: 'text',
      id: 'name',
      name: 'name',
      value: name,
      required: true,
      maxLength: 253,
      pattern: namePattern,
    }),
  ];
}

function terminalHelp({ template, publicUrl }: TemplateView): ComponentChildren {
  const lines = [
    `kubectl bind login ${publicUrl.origin}`,
    `kubectl bind apiservice --template-name ${template.metadata.name} ${template.metadata.name}`,
  ];
  return h(
    'div',
    { class: 'box' },
    h('h2', null, 'Or from a terminal'),
    h('p', null, 'With kubectl leading to your cluster:'),
    h('pre', { tabIndex: 0 }, lines.join('\n')),
    h('p', { class: 'quiet-text' }, 'kubectl bind, without more words, brings you back to this page to agree.'),
  );
}
