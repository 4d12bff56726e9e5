/** The requests that the protocol makes, by the step that makes them. */
export type Step = 'claim' | 'read' | 'renew' | 'complete' | 'release';

/** What a fault does to one request. */
export interface FaultDetails {
  /** When the engine gets the request: late means at a moment that the spec chooses. */
  readonly arrives: 'now' | 'never' | 'late';
  /** What the client gets. Nothing: it waits until its own patience ends. */
  readonly answer: 'reset' | 'timeout' | 'nothing' | 'cut' | 'stalled' | 'garbled' | ServiceError;
  /** A late request arrives after the next call, instead of between the two. */
  readonly afterNextCall?: boolean;
}

/** A refusal by the service: nothing was done. */
export interface ServiceError {
  readonly status: number;
  readonly name: string;
}

export const FAULTS = {
  dropped: { arrives: 'never', answer: 'reset' },
  'applied, its reply lost': { arrives: 'now', answer: 'reset' },
  'applied, its reply cut in the middle': { arrives: 'now', answer: 'cut' },
  'applied, its reply stalled in the middle': { arrives: 'now', answer: 'stalled' },
  'applied, half of its reply passed off as all of it': { arrives: 'now', answer: 'garbled' },
  'delayed past the timeout and lost': { arrives: 'never', answer: 'timeout' },
  'delayed past the timeout, applied late': { arrives: 'late', answer: 'timeout' },
  'delayed past the timeout, applied after the next call': {
    arrives: 'late',
    answer: 'timeout',
    afterNextCall: true,
  },
  'lost without an answer': { arrives: 'never', answer: 'nothing' },
  'applied without an answer': { arrives: 'now', answer: 'nothing' },
  'unanswered, applied late': { arrives: 'late', answer: 'nothing' },
  'answered with 500': { arrives: 'never', answer: refusal(500, 'InternalServerError') },
  throttled: { arrives: 'never', answer: refusal(400, 'ThrottlingException') },
  'beyond the throughput': {
    arrives: 'never',
    answer: refusal(400, 'ProvisionedThroughputExceededException'),
  },
  'in conflict with a transaction': {
    arrives: 'never',
    answer: refusal(400, 'TransactionConflictException'),
  },
  'denied access': { arrives: 'never', answer: refusal(400, 'AccessDeniedException') },
  'told that there is no table': {
    arrives: 'never',
    answer: refusal(400, 'ResourceNotFoundException'),
  },
} as const satisfies Readonly<Record<string, FaultDetails>>;

export type Fault = keyof typeof FAULTS;

/**
 * Which of a step's requests the fault hits. The client makes up to three attempts, and the engine
 * may repeat the step after them; all of those count as requests.
 */
export const EXTENTS = [
  'the first request',
  'every request',
  'every request after one whose reply was lost',
] as const;

export type Extent = (typeof EXTENTS)[number];

/** The fault that hits the request number `nth` of a step, counted from 1. */
export function faultOf(fault: Fault, extent: Extent, nth: number): FaultDetails | undefined {
  switch (extent) {
    case 'the first request':
      return nth === 1 ? FAULTS[fault] : undefined;
    case 'every request':
      return FAULTS[fault];
    case 'every request after one whose reply was lost':
      return nth === 1 ? FAULTS['applied, its reply lost'] : FAULTS[fault];
  }
}

function refusal(status: number, name: string): ServiceError {
  return { status, name };
}
