import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";

/** A picture of numbers. `options` and `data` are made anew when they change. */
export interface PlotProps {
  readonly label: string;
  readonly height: number;
  readonly data: uPlot.AlignedData;
  /** @param color - Gives the colour of a custom property of the style sheet. */
  readonly options: (color: (name: string) => string) => Omit<uPlot.Options, "width" | "height">;
  /** Told of the place that is pointed at. */
  readonly onPlace?: (place: number | undefined) => void;
}

/** Draws with uPlot, as wide as there is room, in the colours of the page. */
export function Plot({ label, height, data, options, onPlace }: PlotProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const dark = useDark();
  useEffect(() => {
    const target = box.current;
    if (target === null) return undefined;
    const style = getComputedStyle(document.documentElement);
    const given = options((name) => style.getPropertyValue(name).trim());
    const plot = new uPlot(
      {
        ...given,
        width: target.clientWidth,
        height,
        hooks: { setCursor: [({ cursor }) => onPlace?.(cursor.idx ?? undefined)] },
      },
      data,
      target,
    );
    const watch = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height }));
    watch.observe(target);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [data, options, dark, height, onPlace]);
  return (
    <div
      class="plot"
      ref={box}
      role="img"
      aria-label={label}
      style={{ minHeight: `${height}px` }}
    />
  );
}

/** Axes in the page's quiet colours. */
export function axes(
  color: (name: string) => string,
  values: (numbers: readonly number[]) => string[],
): uPlot.Axis[] {
  const quiet = { stroke: color("--quiet"), font: "12px system-ui, sans-serif" };
  const grid = { stroke: color("--line"), width: 1 };
  return [
    { ...quiet, grid: { show: false }, ticks: grid, size: 32 },
    { ...quiet, grid, ticks: { show: false }, size: 64, values: (_, splits) => values(splits) },
  ];
}

function useDark(): boolean {
  const query = "(prefers-color-scheme: dark)";
  const [dark, setDark] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = (): void => setDark(list.matches);
    list.addEventListener("change", follow);
    return () => list.removeEventListener("change", follow);
  }, []);
  return dark;
}
