import { type Client, type UnstructuredObject, isForbidden } from '@hawser/client';
import { resources } from '@hawser/kube-bind';
import { sanitizeText } from '@hawser/consumer-states';

/** An Event of the provider's cluster, as shown to operators. */
export interface ShownEvent {
  /** Time of the last occurrence, RFC 3339. */
  readonly at: string | undefined;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Reporting program. */
  readonly from: string;
  /** Number of occurrences. */
  readonly count: number;
  /** `<Kind> <name>` */
  readonly about: string;
}

/** Newest first. `unread`: the portal itself may not list them. Closed. */
export type ShownEvents =
  { readonly kind: 'told'; readonly events: readonly ShownEvent[] } | { readonly kind: 'unread' };

/** Maximum number shown: a repeating program updates the same Event. */
const MOST_EVENTS = 50;
const PAGE = 500;

/** core/v1 Event. Others write all of its fields. */
interface EventObject extends UnstructuredObject {
  readonly involvedObject?: {
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
  };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly reportingComponent?: string;
  readonly source?: { readonly component?: string };
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null } | null;
}

/**
 * Reads the Events about one object. The uid excludes former objects of its name.
 * @throws {ApiError} except for a right that the portal lacks
 */
export async function eventsOf(
  client: Pick<Client, 'list'>,
  { namespace, uid }: { readonly namespace: string | undefined; readonly uid: string },
  signal: AbortSignal,
): Promise<ShownEvents> {
  // Events about cluster-scoped objects are in `default`.
  const found = await listEvents(client, namespace ?? 'default', `involvedObject.uid=${uid}`, signal);
  return shownEvents(found?.filter(({ involvedObject }) => involvedObject?.uid === uid));
}

/**
 * The Events about objects of these kinds and names in one consumer's cluster namespace.
 * @throws {ApiError} except for a right that the portal lacks
 */
export async function eventsInHome(
  client: Pick<Client, 'list'>,
  namespace: string,
  about: readonly { readonly kind: string; readonly name: string }[],
  signal: AbortSignal,
): Promise<ShownEvents> {
  const lists = await Promise.all(
    about.map(({ kind, name }) =>
      listEvents(client, namespace, `involvedObject.kind=${kind},involvedObject.name=${name}`, signal),
    ),
  );
  return shownEvents(lists.includes(undefined) ? undefined : lists.flatMap((some) => some ?? []));
}

async function listEvents(
  client: Pick<Client, 'list'>,
  namespace: string,
  fieldSelector: string,
  signal: AbortSignal,
): Promise<readonly EventObject[] | undefined> {
  try {
    const options = { namespace, fieldSelector, limit: PAGE, signal };
    return (await client.list<EventObject>(resources.events, options)).items;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

function shownEvents(found: readonly EventObject[] | undefined): ShownEvents {
  if (found === undefined) return { kind: 'unread' };
  const events = found.map(shownEvent).sort((a, b) => (b.at ?? '').localeCompare(a.at ?? ''));
  return { kind: 'told', events: events.slice(0, MOST_EVENTS) };
}

/** Pure. */
function shownEvent(event: EventObject): ShownEvent {
  const { involvedObject: { kind = '', name = '' } = {}, type, reason = '', message = '', series } = event;
  const { lastTimestamp, eventTime, firstTimestamp, reportingComponent = '', source, count = 1 } = event;
  const at = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? undefined;
  return {
    at: at === undefined ? undefined : sanitizeText(at, 32),
    type: type === 'Warning' ? 'Warning' : 'Normal',
    reason: sanitizeText(reason, 128),
    message: sanitizeText(message),
    from: sanitizeText(reportingComponent === '' ? (source?.component ?? '') : reportingComponent, 128),
    count: series?.count ?? count,
    about: sanitizeText(`${kind} ${name}`, 320),
  };
}
