import { expect } from 'chai';
import { Idempotent } from '../../../lib/decorator/idempotent.js';
import { structuredCodec } from '../../../lib/results/structured-codec.js';

interface OrderEvent {
  readonly orderId: string;
}

describe('the types of results with standard decorators', () => {
  // F48
  it('of private methods and arrow-function properties are refused without a codec', () => {
    class Orders {
      // @ts-expect-error result is a Date
      @Idempotent({ key: (e) => e.orderId })
      async #when(event: OrderEvent): Promise<Date> {
        return Promise.resolve(new Date(event.orderId));
      }
      // @ts-expect-error result is a Date
      @Idempotent({ key: (e) => e.orderId })
      readonly when = async (event: OrderEvent): Promise<Date> => this.#when(event);

      @Idempotent({ key: (e) => e.orderId, codec: structuredCodec })
      readonly kept = async (event: OrderEvent): Promise<Date> => this.#when(event);
    }

    expect(Orders).to.be.a('function');
  });
});
