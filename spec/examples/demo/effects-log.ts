import { appendFileSync, readFileSync } from 'node:fs';

/** What the outside world saw: the demo's evidence, which knows nothing of idempotency. */
export type Effect =
  | { readonly type: 'run'; readonly orderId: string; readonly pid: number }
  | {
      readonly type: 'placed';
      readonly orderId: string;
      readonly id: string;
      readonly pid: number;
    };

/** One line an effect, appended at once: what a process did before it was killed is in it, too. */
export class EffectsLog {
  constructor(readonly file: string) {
    appendFileSync(file, '');
  }

  append(effect: Effect): void {
    appendFileSync(this.file, `${JSON.stringify(effect)}\n`);
  }

  read(): readonly Effect[] {
    return readFileSync(this.file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Effect);
  }
}
