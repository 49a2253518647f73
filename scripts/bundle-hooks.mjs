const bundles = JSON.parse(process.env.CAPSTAN_BUNDLES ?? '{}')

/** Takes the bundle of an entry in place of its source. */
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context)
  const url = bundles[resolved.url]
  return url ? { ...resolved, url, format: 'module', shortCircuit: true } : resolved
}
