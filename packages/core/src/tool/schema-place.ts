/** A place in a JSON Schema as one reads it: the names of parameters, without the `properties` between them. */
export function schemaPlace(path: readonly (string | number)[]): string {
  return path.join('.').replace(/(^|\.)properties\./g, '$1') || 'the root'
}
