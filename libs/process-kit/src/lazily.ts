/** What `make` gives, made when it is first asked for. One that throws, or rejects, is asked again. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  const forget = () => {
    made = undefined;
  };
  return () => {
    if (!made) {
      made = make();
      if (made instanceof Promise) made.catch(forget);
    }
    return made;
  };
}
