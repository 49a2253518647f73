/** Shows a program's source code with line numbers. Error messages use the same line numbers. */
export function Source({ text }: { readonly text: string }) {
  return (
    <ol class="source" aria-label="Source of the program">
      {text.split('\n').map((line, index) => (
        <li key={`${index}:${line}`}>
          <code>{line}</code>
        </li>
      ))}
    </ol>
  )
}
