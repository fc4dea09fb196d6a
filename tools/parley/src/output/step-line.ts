/** Writes a line with the label whenever the step changes; several such labels can share a stream. */
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
