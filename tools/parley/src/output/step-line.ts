/** Says what somebody is doing whenever that changes, a line each: several can do so at the same time. */
export function startStepLine(label: string, stream: NodeJS.WritableStream): { show(step: string): void } {
  let last = '';
  return {
    show(step) {
      if (step === last || step === '') return;
      last = step;
      stream.write(`${label}  ${step}\n`);
    },
  };
}
