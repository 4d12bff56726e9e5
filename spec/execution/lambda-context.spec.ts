import { expect } from 'chai';
import { contextOf } from '../../lib/execution/lambda-context.js';

const context = { awsRequestId: 'r1', getRemainingTimeInMillis: () => 1000 };
const another = { getRemainingTimeInMillis: () => 2000 };

describe('contextOf', () => {
  describe('without the option', () => {
    it('finds the first argument that can tell its remaining time', () => {
      expect(contextOf(undefined, undefined, [{ id: 1 }, context, another])).to.deep.equal({
        context,
        argumentCount: 1,
      });
    });

    it('counts all arguments where none can', () => {
      expect(contextOf(undefined, undefined, [1, 2, 3])).to.deep.equal({
        context: undefined,
        argumentCount: 3,
      });
    });

    it('counts no argument where the context comes first', () => {
      expect(contextOf(undefined, undefined, [context, 1]).argumentCount).to.equal(0);
    });

    it('finds the method on the prototype too', () => {
      const inherited = Object.create(context) as object;

      expect(contextOf(undefined, undefined, [inherited]).context).to.equal(inherited);
    });

    for (const [what, value] of Object.entries({
      null: null,
      undefined: undefined,
      text: 'context',
      'an object with a number of that name': { getRemainingTimeInMillis: 5 },
      'another object': { callbackWaitsForEmptyEventLoop: true },
      'a function': Object.assign(() => 1, context),
    })) {
      it(`takes ${what} for no context`, () => {
        expect(contextOf(undefined, undefined, [value])).to.deep.equal({
          context: undefined,
          argumentCount: 1,
        });
      });
    }

    it('takes an argument that refuses unknown members for no context', () => {
      const strict: unknown = new Proxy(
        {},
        {
          get: (_target, name) => {
            throw new Error(`no ${String(name)}`);
          },
        },
      );

      expect(contextOf(undefined, undefined, [strict, context])).to.include({
        context,
        argumentCount: 1,
      });
    });
  });

  describe('with the option', () => {
    it('takes the context that it names, and counts the arguments before it', () => {
      expect(contextOf(another, undefined, ['a', 'b', another])).to.deep.equal({
        context: another,
        argumentCount: 2,
      });
    });

    it('counts all arguments where it names a context from elsewhere', () => {
      expect(contextOf(another, undefined, ['a', context]).argumentCount).to.equal(2);
    });

    it('asks a function, with this and the arguments', () => {
      const seen: unknown[] = [];
      const self = { name: 'handler' };
      function option(this: unknown, ...args: readonly unknown[]): unknown {
        seen.push(this, args);
        return another;
      }

      expect(contextOf(option, self, ['a', 'b']).context).to.equal(another);
      expect(seen).to.deep.equal([self, ['a', 'b']]);
    });

    it('finds none where the function throws or gives something else', () => {
      const options: (() => unknown)[] = [
        () => undefined,
        () => null,
        () => ({}),
        () => Promise.resolve(context),
        () => {
          throw new Error('no context here');
        },
      ];
      for (const option of options) {
        expect(contextOf(option, undefined, ['a', context])).to.deep.equal({
          context: undefined,
          argumentCount: 2,
        });
      }
    });
  });
});
