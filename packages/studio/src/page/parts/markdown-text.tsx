import { useEffect, useRef } from 'preact/hooks'

const mostCharacters = 200_000
const mark = /[*_`#[\]|<>~]|^\s*(?:[-+]|\d+[.)])\s|https?:|\n/m

interface MarkdownTextProps {
  readonly text: string
  /** Whether the entire text has arrived. */
  readonly isComplete: boolean
}

/** Shows a model's text: as plain text while it is arriving, and as Markdown once it is complete. */
export function MarkdownText({ text, isComplete }: MarkdownTextProps) {
  const isMarkdown = isComplete && text.length <= mostCharacters && mark.test(text)
  if (!isMarkdown) return <div class="words plain-words">{text}</div>
  return <Rendered key="markdown" text={text} />
}

function Rendered({ text }: { readonly text: string }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let isCurrent = true
    const show = async () => {
      const { renderMarkdown } = await import('./markdown.js')
      if (isCurrent) element.current?.replaceChildren(renderMarkdown(text))
    }
    // If the chunk cannot be loaded, keeps the plain text.
    if (element.current) element.current.textContent = text
    void show().catch(() => {})
    return () => {
      isCurrent = false
    }
  }, [text])
  return <div ref={element} class="words" dir="auto" />
}
