import compatData from "@mdn/browser-compat-data" with { type: "json" };

/** One web platform feature and where it is supported. */
export interface Feature {
  readonly id: string;
  readonly area: string;
  readonly deprecated: boolean;
  readonly experimental: boolean;
  readonly url: string | undefined;
  readonly support: Readonly<Record<string, string | false>>;
}

/** Every feature that the package `@mdn/browser-compat-data` knows, one record each: several MB. */
export function allFeatures(): Feature[] {
  const {
    __meta,
    browsers: _browsers,
    ...areas
  } = compatData as unknown as Record<string, unknown>;
  return Object.entries(areas).flatMap(([area, tree]) => featuresIn(tree, area, area));
}

function featuresIn(node: unknown, id: string, area: string): Feature[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, child]) => {
    if (name === "__compat") return [toFeature(child, id, area)];
    return featuresIn(child, `${id}.${name}`, area);
  });
}

interface Compat {
  readonly mdn_url?: string;
  readonly status?: { readonly deprecated: boolean; readonly experimental: boolean };
  readonly support: Readonly<Record<string, Version | readonly Version[]>>;
}

interface Version {
  readonly version_added: string | false;
}

function toFeature(compat: Compat, id: string, area: string): Feature {
  const support = Object.entries(compat.support).map(([browser, versions]) => {
    const newest = [versions].flat()[0];
    return [browser, newest?.version_added ?? false] as const;
  });
  return {
    id,
    area,
    deprecated: compat.status?.deprecated ?? false,
    experimental: compat.status?.experimental ?? false,
    url: compat.mdn_url,
    support: Object.fromEntries(support),
  };
}
