/** The source of a program, with the line numbers that its errors name. */
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
