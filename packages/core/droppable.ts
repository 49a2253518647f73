import ts from 'typescript'

/**
 * Marks what a file computes while it is loaded: a bundle then leaves out each value that its program does not use.
 * In the package many sources are one file, of which a bundle would keep every call that is not marked.
 */
export const droppable = {
  name: 'droppable',
  renderChunk(code: string, { path }: { readonly path: string }) {
    return path.endsWith('.js') ? { code: markValues(code) } : undefined
  },
}

function markValues(code: string): string {
  const { statements } = ts.createSourceFile('file.js', code, ts.ScriptTarget.Latest, true)
  const values = statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations.map(({ initializer }) => initializer))
  let marked = code
  for (const value of values.toReversed())
    if (value && computes(value)) {
      const [start, end] = [value.getStart(), value.getEnd()]
      const call = `/* @__PURE__ */ (() => (${code.slice(start, end)}))()`
      marked = marked.slice(0, start) + call + marked.slice(end)
    }
  return marked
}

/** Whether esbuild keeps the value as long as nothing marks it. */
function computes(node: ts.Node): boolean {
  if (ts.isFunctionLike(node) || ts.isClassLike(node)) return false
  return (
    ts.isCallOrNewExpression(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isTaggedTemplateExpression(node) ||
    ts.isSpreadElement(node) ||
    ts.isSpreadAssignment(node) ||
    node.kind === ts.SyntaxKind.AsteriskAsteriskToken ||
    ts.forEachChild(node, (child) => computes(child) || undefined) === true
  )
}
