import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { operatorActions, storeActions } from '../../lib/cli/iam-policy.js';
import { tableOfSetUp } from './sent-actions.js';

const example = join(__dirname, '..', 'examples', 'infrastructure', 'cdk');

interface Resource {
  readonly Type: string;
  // CloudFormation's properties are looked at as they are.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly Properties: any;
}

describe('the CDK stack', function () {
  this.timeout(600_000); // The first run fetches the CDK.
  let folder: string;
  let idempotency: Resource[];
  let orders: Resource[];

  before('compile it as users do, and synthesise it', () => {
    const cache = execFileSync(join(__dirname, 'fetch-cdk.sh'), { encoding: 'utf8' }).trim();
    folder = mkdtempSync(join(cache, 'stack-'));
    cpSync(example, folder, { recursive: true });
    const tsc = require.resolve('typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' });
    const env = { PATH: process.env['PATH'], CDK_OUTDIR: join(folder, 'cdk.out') };
    execFileSync(process.execPath, [join(folder, 'dist', 'app.js')], { env, stdio: 'inherit' });
    idempotency = resourcesOf('Idempotency');
    orders = resourcesOf('Orders');
  });

  after('remove what was compiled', () => {
    rmSync(folder, { recursive: true });
  });

  it('makes the table that createIdempotencyTable makes', async () => {
    const { TimeToLiveSpecification, ...table } = await tableOfSetUp();
    const [made] = ofType(idempotency, 'AWS::DynamoDB::GlobalTable');

    expect(made?.Properties).to.deep.include({ ...table, TimeToLiveSpecification });
    expect(made?.Properties.Replicas).to.have.length(1);
  });

  it('allows the code just what the store sends', () => {
    const [policy] = ofType(orders, 'AWS::IAM::Policy');

    expectOneStatement(policy, storeActions);
  });

  it('allows operators just what the command line sends', () => {
    const [policy] = ofType(idempotency, 'AWS::IAM::ManagedPolicy');

    expectOneStatement(policy, operatorActions);
  });

  it('names the table in the variable that the package reads', () => {
    const [handler] = ofType(orders, 'AWS::Lambda::Function');

    expect(handler?.Properties.Environment.Variables).to.have.keys('MAYFLY_IDEMPOTENCY_TABLE');
  });

  function resourcesOf(stack: string): Resource[] {
    const text = readFileSync(join(folder, 'cdk.out', `${stack}.template.json`), 'utf8');
    return Object.values((JSON.parse(text) as { Resources: Record<string, Resource> }).Resources);
  }
});

function ofType(resources: readonly Resource[], type: string): Resource[] {
  return resources.filter(({ Type }) => Type === type);
}

function expectOneStatement(policy: Resource | undefined, actions: readonly string[]) {
  const statements = policy?.Properties.PolicyDocument.Statement;
  expect(statements).to.have.length(1);
  expect(statements[0].Effect).to.equal('Allow');
  expect(statements[0].Action).to.have.members(actions);
  // One resource, the table: no `*`, and no index.
  expect(statements[0].Resource)
    .to.be.an('object')
    .that.has.any.keys('Fn::GetAtt', 'Fn::ImportValue');
}
