/**
 * For tsup's `esbuildOptions`. Sources write `import.meta.url ?? __filename`: what is built as CommonJS has the second
 * only. Without this, Rollup would write a look at `document` in its place, which tests with a DOM have.
 */
export function ownUrl(options, { format }) {
  if (format === 'cjs') options.define = { ...options.define, 'import.meta.url': 'undefined' }
}
