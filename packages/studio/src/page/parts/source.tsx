/** Shows a program's source code with line numbers, which are those in its error messages. */
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
