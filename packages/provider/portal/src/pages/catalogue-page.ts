import type { APIServiceExportTemplate, Collection } from '@hawser/kube-bind';
import { type ComponentChildren, h } from 'preact';
import { type Flow, queryOfFlow } from './flow.js';
import { iconImage } from './icon.js';

export interface CatalogueView {
  readonly templates: readonly APIServiceExportTemplate[];
  readonly collections: readonly Collection[];
  readonly search: string;
  readonly flow: Flow | undefined;
}

/** Shows everything that a person may bind, and nothing else. */
export function cataloguePage({ templates, collections, search, flow }: CatalogueView): ComponentChildren {
  const found = templates.filter((template) => matches(template, search));
  const byName = new Map(found.map((template) => [template.metadata.name, template]));
  const grouped = collections
    .map((collection) => ({
      collection,
      members: collection.spec.templates
        .map(({ name }) => byName.get(name))
        .filter((template) => template !== undefined),
    }))
    .filter(({ members }) => members.length > 0);
  const inOne = new Set(grouped.flatMap(({ members }) => members));
  const rest = found.filter((template) => !inOne.has(template));
  return [
    h('h1', null, 'What you can bind'),
    flow === undefined
      ? null
      : h('p', { class: 'box waits' }, 'kubectl bind waits in your terminal. Choose what it binds.'),
    searchForm(search, flow),
    ...grouped.map(({ collection, members }) =>
      h(
        'section',
        null,
        h('h2', null, collection.metadata.name),
        collection.spec.description === undefined ? null : h('p', { class: 'quiet-text' }, collection.spec.description),
        cards(members, flow),
      ),
    ),
    rest.length === 0
      ? null
      : h('section', null, h('h2', null, grouped.length === 0 ? 'Templates' : 'Others'), cards(rest, flow)),
    found.length > 0 ? null : h('p', null, templates.length === 0 ? NOTHING : 'No template matches.'),
  ];
}

const NOTHING =
  'Nothing is offered to you. The administrator of this provider has to give you the verb bind on a template or a collection.';

function searchForm(search: string, flow: Flow | undefined): ComponentChildren {
  return h(
    'form',
    { method: 'get', action: '/', role: 'search', class: 'search' },
    h(
      'div',
      null,
      h('label', { for: 'q' }, 'Search'),
      h('input', { type: 'search', id: 'q', name: 'q', value: search }),
    ),
    ...[...new URLSearchParams(queryOfFlow(flow))].map(([name, value]) => h('input', { type: 'hidden', name, value })),
    h('button', { type: 'submit' }, 'Search'),
  );
}

function cards(templates: readonly APIServiceExportTemplate[], flow: Flow | undefined): ComponentChildren {
  return h(
    'ul',
    { class: 'cards' },
    templates.map(({ metadata, spec }) =>
      h(
        'li',
        { class: 'card' },
        iconImage({ metadata }),
        h(
          'h3',
          null,
          h('a', { href: `/templates/${encodeURIComponent(metadata.name)}${queryOfFlow(flow)}` }, metadata.name),
        ),
        spec.description === undefined ? null : h('p', null, spec.description),
        h('p', { class: 'quiet-text' }, spec.resources.map(({ resource, group }) => `${resource}.${group}`).join(', ')),
      ),
    ),
  );
}

function matches({ metadata, spec }: APIServiceExportTemplate, search: string): boolean {
  const text = [
    metadata.name,
    spec.description ?? '',
    ...spec.resources.map(({ resource, group }) => `${resource}.${group}`),
  ]
    .join(' ')
    .toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}
