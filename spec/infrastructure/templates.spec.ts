import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseToObject } from 'hcl2-parser';
import { parse, type ScalarTag } from 'yaml';
import {
  operatorActions,
  setUpActions,
  storeActions,
  type Policy,
} from '../../lib/cli/iam-policy.js';
import { runCli } from '../cli/cli-bench.js';
import {
  actionsOfACommit,
  actionsOfSetUp,
  actionsOfTheCommandLine,
  actionsOfTheStore,
  tableOfSetUp,
} from './sent-actions.js';

const folder = join(__dirname, '..', 'examples', 'infrastructure');
const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');

describe('the actions that are sent', () => {
  it('by the store are those that it is allowed', async () => {
    expect(await actionsOfTheStore()).to.have.members(storeActions);
  });

  it('by a transaction on the records’ table are among them', async () => {
    const sent = await actionsOfACommit();

    expect(sent).to.deep.equal(['dynamodb:UpdateItem']);
    expect(storeActions).to.include.members(sent);
  });

  it('by get, list and forget are those that operators are allowed', async () => {
    const sent = await actionsOfTheCommandLine(['get', 'a'], ['list'], ['forget', 'a']);

    expect(sent).to.have.members(operatorActions);
  });

  it('by create-table are those of the set-up', async () => {
    expect(await actionsOfSetUp()).to.have.members(setUpActions);
  });
});

describe('the policy command', () => {
  const policy = async (...words: string[]) => {
    const ending = await runCli(['policy', ...words]);
    const { Statement } = JSON.parse(ending.out) as Policy;
    return { ...ending, statements: Statement };
  };

  it('prints what decorated code needs', async () => {
    const { err, statements } = await policy(
      ...['--table', 'idem', '--region', 'eu-central-1', '--account', '123456789012'],
    );

    expect(err).to.equal('');
    expect(statements).to.deep.equal([
      {
        Sid: 'IdempotencyRecords',
        Effect: 'Allow',
        Action: storeActions,
        Resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/idem',
      },
    ]);
  });

  it('prints apart what the command line needs', async () => {
    const { statements } = await policy('--operator', '--table', 'idem');

    expect(statements.map(({ Action }) => Action)).to.deep.equal([operatorActions, setUpActions]);
  });

  it('says so where Region and account are left open', async () => {
    const { err, statements } = await policy('--table', 'idem');

    expect(statements[0]?.Resource).to.equal('arn:aws:dynamodb:*:*:table/idem');
    expect(err).to.contain('--region and --account narrow it');
  });

  it('takes an ARN as it is, and knows the other partitions', async () => {
    const arn = 'arn:aws:dynamodb:us-east-1:123456789012:table/idem';

    expect((await policy('--table', arn)).statements[0]?.Resource).to.equal(arn);
    expect(
      (await policy('--table', 'idem', '--region', 'cn-north-1')).statements[0]?.Resource,
    ).to.match(/^arn:aws-cn:/);
    expect(
      (await policy('--table', 'idem', '--region', 'us-gov-west-1')).statements[0]?.Resource,
    ).to.match(/^arn:aws-us-gov:/);
  });
});

describe('the CloudFormation template', () => {
  const { Resources: resources } = parse(read('cloudformation', 'template.yaml'), {
    customTags: cloudFormationTags(),
  });
  const statementsOf = (name: string) => resources[name].Properties.PolicyDocument.Statement;

  it('makes the table that createIdempotencyTable makes', async () => {
    expect(resources.IdempotencyTable.Type).to.equal('AWS::DynamoDB::Table');
    expect(resources.IdempotencyTable.Properties).to.deep.include(await tableOfSetUp());
  });

  it('allows the code just what the store sends', () => {
    expectStatement(statementsOf('RecordsPolicy'), storeActions);
    expect(resources.Orders.Properties.Policies).to.deep.equal([{ Ref: 'RecordsPolicy' }]);
  });

  it('allows operators just what the command line sends', () => {
    expectStatement(statementsOf('OperatorPolicy'), operatorActions);
  });

  it('names the table in the variable that the package reads', () => {
    expect(resources.Orders.Properties.Environment.Variables).to.deep.equal({
      MAYFLY_IDEMPOTENCY_TABLE: { Ref: 'IdempotencyTable' },
    });
  });

  it('refers to nothing that it does not have', () => {
    const template = parse(read('cloudformation', 'template.yaml'), {
      customTags: cloudFormationTags(),
    });
    const known = Object.keys({ ...template.Parameters, ...template.Resources });

    const referred = [...JSON.stringify(template).matchAll(/"(?:Ref|Fn::GetAtt)":"(\w+)/g)];
    expect(referred).to.have.length.above(5);
    expect(known).to.include.members(referred.map(([, name]) => name));
  });

  function expectStatement(statements: unknown[], actions: readonly string[]) {
    expect(statements).to.have.length(1);
    const { Effect, Action, Resource } = statements[0] as Record<string, unknown>;
    expect(Effect).to.equal('Allow');
    expect(Action).to.have.members(actions);
    expect(Resource).to.deep.equal({ 'Fn::GetAtt': 'IdempotencyTable.Arn' });
  }
});

describe('the Terraform module', () => {
  // The parser has no types.
  const parseTerraform = parseToObject as (text: string) => [any, unknown]; // eslint-disable-line @typescript-eslint/no-explicit-any
  const [module, error] = parseTerraform(read('terraform', 'main.tf'));
  const table = () => module.resource.aws_dynamodb_table.idempotency[0];
  const statementsOf = (name: string) => module.data.aws_iam_policy_document[name][0].statement;

  it('parses', () => {
    expect(error).to.equal(null);
  });

  it('makes the table that createIdempotencyTable makes', async () => {
    const { hash_key, attribute, billing_mode, ttl } = table();

    expect({
      KeySchema: [{ AttributeName: hash_key, KeyType: 'HASH' }],
      AttributeDefinitions: (attribute as { name: string; type: string }[]).map(
        ({ name, type }) => ({
          AttributeName: name,
          AttributeType: type,
        }),
      ),
      BillingMode: billing_mode,
      TimeToLiveSpecification: { AttributeName: ttl[0].attribute_name, Enabled: ttl[0].enabled },
    }).to.deep.equal(await tableOfSetUp());
  });

  it('allows the code just what the store sends', () => {
    expectStatement('records', storeActions);
  });

  it('allows operators just what the command line sends', () => {
    expectStatement('operator', operatorActions);
  });

  it('makes a policy of each document', () => {
    for (const name of ['records', 'operator']) {
      expect(module.resource.aws_iam_policy[name][0].policy).to.equal(
        `\${data.aws_iam_policy_document.${name}.json}`,
      );
    }
  });

  function expectStatement(name: string, allowed: readonly string[]) {
    expect(statementsOf(name)).to.have.length(1);
    const { effect, actions, resources } = statementsOf(name)[0];
    expect(effect).to.equal('Allow');
    expect(actions).to.have.members(allowed);
    expect(resources).to.deep.equal(['${aws_dynamodb_table.idempotency.arn}']);
  }
});

/** CloudFormation's short forms, `!Ref x`, as the long ones, `{ Ref: x }`. */
function cloudFormationTags(): ScalarTag[] {
  return ['Ref', 'GetAtt'].map((name) => ({
    tag: `!${name}`,
    resolve: (value) => ({ [name === 'Ref' ? name : `Fn::${name}`]: value }),
  }));
}
