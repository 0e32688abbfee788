import type { VNode } from "preact";

/** Choices of which one is made. */
export interface TabsProps<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

/** Buttons of which one is pressed; arrow keys move between them. */
export function Tabs<Name extends string>(props: TabsProps<Name>): VNode {
  const { label, names, chosen, onChoose } = props;
  const move = (event: KeyboardEvent & { currentTarget: HTMLDivElement }): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const name = step && names[(names.indexOf(chosen) + step + names.length) % names.length];
    if (!name) return;
    event.preventDefault();
    onChoose(name);
    const place = names.indexOf(name);
    event.currentTarget.querySelectorAll("button")[place]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {names.map((name) => (
        <button
          type="button"
          role="tab"
          key={name}
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
