interface ChoicesProps<Value extends string> {
  /** The radio group's name. It must be unique on the page. */
  readonly name: string
  readonly choices: readonly (readonly [value: Value, title: string])[]
  readonly value: Value
  readonly isDisabled?: (value: Value) => boolean
  readonly onChoose: (value: Value) => void
}

/** Radio buttons for choosing one value. */
export function Choices<Value extends string>({
  name,
  choices,
  value,
  isDisabled,
  onChoose,
}: ChoicesProps<Value>) {
  return (
    <>
      {choices.map(([one, title]) => (
        <label class="check" key={one}>
          <input
            type="radio"
            name={name}
            checked={value === one}
            disabled={isDisabled?.(one)}
            onChange={() => onChoose(one)}
          />
          {title}
        </label>
      ))}
    </>
  )
}
