import type { Gauge, Labels, Metrics } from '@hawser/telemetry';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** One HTTP exchange. */
export interface Exchange {
  readonly verb: string;
  readonly method: string;
  /** Host and port of the server; empty: not known yet. */
  readonly host: string;
  readonly code: string;
  readonly seconds: number;
}

/** Metrics of one client. Without a label for the resource: many clusters would make too many series. */
export interface ClientMetrics {
  /** Counts one HTTP exchange; each retry counts. `code`: the HTTP status, or the ApiErrorCode without an answer. */
  exchanged(exchange: Exchange): void;
  inFlight(count: number): void;
  openWatches(count: number): void;
  /** Subtracts this client's share from the gauges. */
  close(): void;
}

export function clientMetrics(metrics: Metrics, cluster: string): ClientMetrics {
  const total = metrics.counter({
    name: 'hawser_client_requests_total',
    help: 'HTTP requests to the API server, retries included.',
    labels: ['cluster', 'verb', 'code'],
  });
  const restClient = metrics.counter({
    name: 'rest_client_requests_total',
    help: 'The same as client-go counts it.',
    labels: ['code', 'method', 'host'],
  });
  const duration = metrics.histogram({
    name: 'hawser_client_request_duration_seconds',
    help: 'Time from sending a request to its whole answer; of a watch, to its start.',
    labels: ['cluster', 'verb'],
    buckets: BUCKETS,
  });
  const inFlight = metrics.gauge({
    name: 'hawser_client_requests_in_flight',
    help: 'Requests that wait for an answer, watches apart.',
    labels: ['cluster'],
  });
  const watches = metrics.gauge({ name: 'hawser_client_watches', help: 'Watches that are open.', labels: ['cluster'] });
  const own = { cluster };
  const exchanges = new Map<string, Record<'total' | 'duration' | 'restClient', Labels>>();
  const labelsOf = ({ verb, method, host, code }: Exchange): Record<'total' | 'duration' | 'restClient', Labels> => {
    const key = `${verb} ${code} ${method} ${host}`;
    let labels = exchanges.get(key);
    if (labels === undefined) {
      labels = {
        total: { cluster, verb, code },
        duration: { cluster, verb },
        restClient: { code: /^\d+$/u.test(code) ? code : '<error>', method, host },
      };
      exchanges.set(key, labels);
    }
    return labels;
  };
  const inFlightNow = share(inFlight, own);
  const watchesNow = share(watches, own);
  return {
    exchanged(exchange) {
      const labels = labelsOf(exchange);
      total.inc(labels.total);
      restClient.inc(labels.restClient);
      duration.observe(exchange.seconds, labels.duration);
    },
    inFlight: inFlightNow.is,
    openWatches: watchesNow.is,
    close() {
      inFlightNow.close();
      watchesNow.close();
    },
  };
}

/** One client's share of a gauge. Only adds and subtracts: clients of two providers may have the same labels. */
function share(gauge: Gauge, labels: Labels): { readonly is: (value: number) => void; readonly close: () => void } {
  let current = 0;
  let closed = false;
  const is = (value: number): void => {
    // Closing aborts requests; they end after the close.
    if (closed || value === current) return;
    gauge.inc(labels, value - current);
    current = value;
  };
  return {
    is,
    close() {
      is(0);
      closed = true;
    },
  };
}
