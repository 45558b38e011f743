import { type SchemaNode, isNode, stringsOf } from '../definition.js';
import { type Keyword, anything } from './keyword.js';

export const compareItems: Keyword = (before, after, { path, compare }) => {
  const [was, is] = [before['items'], after['items']];
  if (isNode(is)) compare(isNode(was) ? was : anything, is, `${path}[*]`);
};

export const compareListType: Keyword = (before, after, { path, report }) => {
  const [was, is] = [listType(before), listType(after)];
  if (was !== is) {
    report('list-type-changed', path, `is a list of type ${is}, was ${was}`);
    return;
  }
  const [old, current] = [before, after].map((schema) =>
    stringsOf(schema['x-kubernetes-list-map-keys']).toSorted().join(', '),
  );
  if (is === 'map' && old !== current) report('list-map-keys-changed', path, `is a list by ${current}, was by ${old}`);
};

function listType(schema: SchemaNode): string {
  const type = schema['x-kubernetes-list-type'];
  return typeof type === 'string' && type !== '' ? type : 'atomic';
}
