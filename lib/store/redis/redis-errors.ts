import type { RequestFailure } from '../request-failure.js';

/*
 * The clients' errors are told apart by what they say: their classes have no names of their own
 * that survive a bundler, and a server's errors begin with a code (Redis documentation: "Redis
 * serialization protocol specification", Simple errors). Servers before version 7 wrap the code of
 * an error inside a script into a longer text, and valkey-glide respells it, so it is looked for
 * anywhere. Messages stay in `cause`, since some quote the request.
 */

const unavailable = { retryable: true, refused: true } as const;
const mistaken = { retryable: false, refused: true } as const;
const neverSent = { refused: true, neverSent: true } as const;
const unknown = { retryable: true, refused: false } as const;

const byMessage: readonly (readonly [RegExp, RequestFailure])[] = [
  // What the server answers.
  [
    /\bREADONLY\b/i,
    {
      ...unavailable,
      reason: 'the server is a read-only replica',
      hint: 'Connect the client to the primary, and let it follow a failover (cluster, Sentinel, or reconnection on READONLY)',
    },
  ],
  [
    /\b(NOAUTH|WRONGPASS)\b|invalid (username-password|password)|AuthenticationFailed/i,
    {
      ...mistaken,
      reason: 'Redis does not accept the credentials',
      hint: "Give the client the server's user name and password",
    },
  ],
  [
    /\bNOPERM\b/i,
    {
      ...mistaken,
      reason: 'permission is denied',
      hint: 'Allow the user EVALSHA and EVAL, the hash commands, DEL, PEXPIRE and PTTL, and the keys under `keyPrefix`: ACL SETUSER … ~idempotency:* +@hash +@scripting +del +pexpire +pttl',
    },
  ],
  [
    /\bOOM\b/,
    {
      ...unavailable,
      reason: 'Redis has reached its memory limit',
      hint: 'Raise `maxmemory`. Keep `maxmemory-policy noeviction`: with any other, records are evicted and methods run twice',
    },
  ],
  [
    /\bWRONGTYPE\b/i,
    {
      ...mistaken,
      reason: 'the key holds something that is no record',
      hint: 'Something else writes to the same keys: choose another `keyPrefix`',
    },
  ],
  [
    /\b(MOVED|CROSSSLOT)\b|^ASK\b/,
    {
      ...mistaken,
      reason: 'the server is a node of a cluster, and the key belongs to another',
      hint: "Use the cluster client: node-redis createCluster, ioredis Cluster or valkey-glide's GlideClusterClient",
    },
  ],
  [
    /\bCLUSTERDOWN\b|ClusterDown/,
    {
      ...unavailable,
      reason: 'the cluster is down, or serves not all slots',
      hint: 'Look at CLUSTER INFO and at its failed nodes',
    },
  ],
  [
    /\b(LOADING|BUSY|TRYAGAIN|MASTERDOWN|NOREPLICAS|MISCONF)\b|BusyLoading|MasterDown|TryAgain/,
    {
      ...unavailable,
      reason: 'Redis takes no writes at the moment',
      hint: "The server's answer is in `cause`: it starts, fails over, runs a long script, lacks replicas or cannot save",
    },
  ],
  [
    /max number of clients/i,
    {
      ...unavailable,
      reason: 'Redis takes no more connections',
      hint: 'Share one client in the process, or raise `maxclients`',
    },
  ],
  [
    /unknown command/i,
    {
      ...mistaken,
      reason: 'the server knows no Lua scripts',
      hint: 'The store needs EVALSHA and EVAL, of Redis 5 or later, Valkey or a server that has them',
    },
  ],
  // What clients say that have not sent the request.
  [
    /the client is closed/i,
    {
      ...neverSent,
      retryable: false,
      reason: 'the client is not connected, or is closed',
      hint: 'Call `await client.connect()` before the first use, and close it after the last one',
    },
  ],
  [
    /the client is offline|enableOfflineQueue|the command was aborted/i,
    { ...neverSent, retryable: true, reason: 'the client has no connection at the moment' },
  ],
  [
    /subscriber mode|monitoring mode/i,
    {
      ...neverSent,
      retryable: false,
      reason: 'the connection is in use for subscriptions',
      hint: 'Give the store a client of its own',
    },
  ],
  // What they say, or we of them, when its fate is unknown.
  [
    /^The client returned /,
    {
      reason: 'the client has another interface than it seems to have',
      hint: 'The store knows node-redis and ioredis from version 4 on, and valkey-glide; where a wrapper has the methods of several, name one with `clientKind`',
      retryable: false,
      refused: false,
    },
  ],
  [
    /^connection is closed|disconnects client/i,
    {
      reason: 'the client has been closed, or has given up reconnecting',
      hint: 'Close it after its last use, and let its retry strategy go on',
      retryable: false,
      refused: false,
    },
  ],
  [
    /root nodes|startup nodes|redirections|node is disconnected|cluster is/i,
    {
      ...unknown,
      reason: 'no node of the cluster can be reached',
      hint: 'Check the addresses that the nodes announce (CLUSTER NODES), the network and TLS',
    },
  ],
];

/** Errors of Node's network calls in which no request can have reached the server. */
const notConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT', 'EACCES']);

const connectionCodes = new Set(
  'ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTCONN'.split(' '),
);
const connectionMessages =
  /socket|connection|max retries per request|timed? ?out|closed|network|broken pipe/i;

/** What happened, from whatever a client threw. */
export function describeFailure(thrown: unknown): RequestFailure {
  if (typeof thrown !== 'object' || thrown === null) {
    return { reason: 'the client rejected without an error', retryable: false, refused: false };
  }
  const message = messageOf(thrown);
  const known = byMessage.find(([pattern]) => pattern.test(message));
  if (known !== undefined) return known[1];
  const codes = codesOf(thrown);
  if (codes.some((code) => notConnected.has(code))) {
    return {
      ...unavailable,
      reason: 'Redis cannot be reached',
      hint: "Check the server, and the client's host, port and TLS settings",
    };
  }
  if (codes.some((code) => connectionCodes.has(code)) || connectionMessages.test(message)) {
    return { ...unknown, reason: 'the connection to Redis failed or gave no answer in time' };
  }
  return describeUnknown(message);
}

/** Whether the server has not seen the script yet, and so has not run it. */
export function isScriptMissing(thrown: unknown): boolean {
  return /\bNOSCRIPT\b|NoScriptError/.test(messageOf(thrown));
}

/** Whether a request was refused for its size (`proto-max-bulk-len`, a proxy's or service's limit). */
export function isRequestTooLarge(thrown: unknown): boolean {
  return /invalid bulk length|max(imum)? request size|too (big|large)/i.test(messageOf(thrown));
}

/** A server's error that nothing is known of: it was refused, and its code is all that is quoted. */
function describeUnknown(message: string): RequestFailure {
  const code = /^[A-Z]{2,32}(?= |$)/.exec(message)?.[0];
  return code === undefined
    ? { reason: 'the client failed', retryable: false, refused: false }
    : { ...mistaken, reason: `Redis refuses the request (${code})` };
}

/** The codes of an error and of the ones in it: a host with several addresses fails as several. */
function codesOf(error: object): string[] {
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  const inner = Array.isArray(errors) ? (errors as unknown[]) : [];
  return [code, ...inner.map((each) => (each as { code?: unknown } | null)?.code)].filter(
    (each) => typeof each === 'string',
  );
}

function messageOf(thrown: unknown): string {
  const message = (thrown as { message?: unknown } | null | undefined)?.message;
  return typeof message === 'string' ? message : '';
}
