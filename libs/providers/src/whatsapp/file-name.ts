/**
 * What a document is called: the last part of its link's path. Undefined where that has no extension, by which the
 * platform's app tells what kind of file it is. One without a name is shown as “Untitled”.
 */
export function fileNameIn(link: string): string | undefined {
  const [, name] = /([^/]+\.\w{1,10})$/.exec(URL.parse(link)?.pathname ?? '') ?? [];
  return name && decoded(name);
}

/** With umlauts and blanks instead of their codes, where these make sense. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
