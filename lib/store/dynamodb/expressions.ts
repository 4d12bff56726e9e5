import type { TableLayout } from './table-layout.js';

/*
 * The conditions of the protocol, each named and with its rendered form in a comment (default
 * attribute names). Every attribute goes through a placeholder: `status` is a reserved word, and
 * mapped names may be others. Built once per store; a call only adds its values.
 *
 * `:now` is the caller's clock less `clockSkew`, so every comparison errs towards leaving somebody
 * else's record alone. A comparison with a missing attribute is false.
 */

/** A condition with the names it uses. */
export interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
}

/** An update with its condition. */
export interface ConditionalUpdate extends Condition {
  readonly UpdateExpression: string;
}

/** Which of the optional attributes a completion sets. */
export interface CompletionParts {
  readonly result: boolean;
  readonly encoding: boolean;
  readonly error: boolean;
  readonly resultOmitted: boolean;
}

export class Expressions {
  /*
   *   claim                     in_progress_until          expires_at
   *     |                              |                        |
   *  ---+------------------------------+------------------------+--------------> time
   *     |  owner runs, renews          |  owner is taken for    |  whatever is left
   *     |  nobody else may claim       |  dead: next claim      |  is free, swept or not
   *     |                              |  takes over            |
   *     |                              |<-- clockSkew -->|      |<-- clockSkew -->|
   *                                             the next claim is made from here on
   *
   * A completed record has no in_progress_until: it stands until expires_at. A claim's expires_at is
   * never before in_progress_until + clockSkew.
   */

  /**
   * Nothing there, or expired, or an owner that died:
   * `attribute_not_exists(id) OR expires_at < :now OR (status = :inprogress AND in_progress_until < :now)`
   */
  readonly claim: Condition;

  /**
   * Nothing there, or an expired outcome; never an owner that may have got as far as the effect:
   * `attribute_not_exists(id) OR (status <> :inprogress AND expires_at < :now)`
   */
  readonly claimWithoutTakeover: Condition;

  /**
   * Still ours, still running, and not backwards:
   * `SET in_progress_until = :until, expires_at = :expires` where
   * `claim_token = :token AND status = :inprogress AND in_progress_until <= :until`
   */
  readonly renew: ConditionalUpdate;

  /** The same for a claim that carries no `expires_at`: `SET in_progress_until = :until`. */
  readonly renewWithoutExpiry: ConditionalUpdate;

  /** Still ours and still running: `claim_token = :token AND status = :inprogress`. */
  readonly release: Condition;

  /**
   * There, and not a live claim:
   * `attribute_exists(id) AND (status <> :inprogress OR in_progress_until < :now OR expires_at < :now)`
   */
  readonly forget: Condition;

  readonly #layout: TableLayout;
  readonly #completions: ConditionalUpdate[] = [];

  constructor(layout: TableLayout) {
    this.#layout = layout;
    const { names } = layout;
    const id = { '#id': layout.idAttribute };
    const status = { '#status': names.status };
    const until = { '#until': names.inProgressUntil };
    const expires = { '#expires': names.expiresAt };
    const token = { '#token': names.claimToken };

    this.claim = {
      ConditionExpression:
        'attribute_not_exists(#id) OR #expires < :now OR (#status = :inprogress AND #until < :now)',
      ExpressionAttributeNames: { ...id, ...expires, ...status, ...until },
    };
    this.claimWithoutTakeover = {
      ConditionExpression:
        'attribute_not_exists(#id) OR (#status <> :inprogress AND #expires < :now)',
      ExpressionAttributeNames: { ...id, ...status, ...expires },
    };
    const renewable = '#token = :token AND #status = :inprogress AND #until <= :until';
    this.renew = {
      UpdateExpression: 'SET #until = :until, #expires = :expires',
      ConditionExpression: renewable,
      ExpressionAttributeNames: { ...until, ...expires, ...token, ...status },
    };
    this.renewWithoutExpiry = {
      UpdateExpression: 'SET #until = :until',
      ConditionExpression: renewable,
      ExpressionAttributeNames: { ...until, ...token, ...status },
    };
    this.release = {
      ConditionExpression: '#token = :token AND #status = :inprogress',
      ExpressionAttributeNames: { ...token, ...status },
    };
    this.forget = {
      ConditionExpression:
        'attribute_exists(#id) AND (#status <> :inprogress OR #until < :now OR #expires < :now)',
      ExpressionAttributeNames: { ...id, ...status, ...until, ...expires },
    };
  }

  /**
   * Still ours, running or (a repetition) completed already:
   * `SET status = :status, expires_at = :expires, completed_at = :completed, … REMOVE in_progress_until`
   * where `claim_token = :token`
   */
  complete(parts: CompletionParts): ConditionalUpdate {
    const form =
      Number(parts.result) |
      (Number(parts.encoding) << 1) |
      (Number(parts.error) << 2) |
      (Number(parts.resultOmitted) << 3);
    return (this.#completions[form] ??= completion(this.#layout, parts));
  }
}

function completion({ names }: TableLayout, parts: CompletionParts): ConditionalUpdate {
  const placeholders: Record<string, string> = {
    '#status': names.status,
    '#expires': names.expiresAt,
    '#completed': names.completedAt,
  };
  if (parts.result) placeholders['#result'] = names.result;
  if (parts.encoding) placeholders['#encoding'] = names.encoding;
  if (parts.error) placeholders['#error'] = names.error;
  if (parts.resultOmitted) placeholders['#omitted'] = names.resultOmitted;
  const assignments = Object.keys(placeholders).map((name) => `${name} = :${name.slice(1)}`);
  return {
    UpdateExpression: `SET ${assignments.join(', ')} REMOVE #until`,
    ConditionExpression: '#token = :token',
    ExpressionAttributeNames: {
      ...placeholders,
      '#until': names.inProgressUntil,
      '#token': names.claimToken,
    },
  };
}
