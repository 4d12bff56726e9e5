/**
 * Key of an EventBridge event: the id that EventBridge gave it. Retries of EventBridge and of Lambda
 * keep it; a source that puts the event again gets another one, and each run of a schedule has its
 * own.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html
 *
 * @example
 * ```ts
 * @Idempotent({ key: eventBridgeId })
 * async handle(event: EventBridgeEvent<'Order Submitted', Order>): Promise<void> { … }
 * ```
 */
export function eventBridgeId(event: { readonly id: string }): string {
  return event.id;
}
