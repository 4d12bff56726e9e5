/** What became of a call, from `runIdempotent`. The decorator turns the last one into an error. */
export type Outcome<R> = Executed<R> | Replayed<R> | InProgress;

/** This call ran the method. */
export interface Executed<R> {
  readonly status: 'executed';
  readonly result: R;
}

/** An earlier call ran it; `result` is what that recorded, decoded. */
export interface Replayed<R> {
  readonly status: 'replayed';
  readonly result: R;
  /** Where the record says so. */
  readonly completedAt: Date | undefined;
}

/** Another call is running it. */
export interface InProgress {
  readonly status: 'in-progress';
  /** After this moment another call may take over, unless the running one records before. */
  readonly until: Date;
  /** Milliseconds from now to {@link until}; never negative. */
  readonly retryAfterMs: number;
}
