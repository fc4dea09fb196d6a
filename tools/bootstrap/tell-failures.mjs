/**
 * A reporter of Vitest that says why a test failed as soon as it has. The default reporter says it at the end, which a
 * run of hours may not reach.
 */
export default class TellFailures {
  onTestCaseResult(testCase) {
    tell(`${testCase.module.relativeModuleId} > ${testCase.fullName}`, testCase.result().errors);
  }

  onTestSuiteResult(suite) {
    tell(`${suite.module.relativeModuleId} > ${suite.fullName}`, suite.errors());
  }

  onTestModuleEnd(module) {
    tell(module.relativeModuleId, module.errors());
  }
}

function tell(name, errors = []) {
  for (const { stack, message, diff } of errors)
    console.error(`\nFailed: ${name}\n${ownFrames(stack ?? message)}${diff ? `\n${diff}` : ''}\n`);
}

const ownFrames = (stack) =>
  stack
    .split('\n')
    .filter((line) => !/^ +at .*(node_modules|<anonymous>|node:)/.test(line))
    .join('\n');
