// What stands in the package.json of each published package. All of it follows from the one of the checkout.
import { PREBUILT_PLATFORMS } from "../../src/native/platform.ts";
import { platformFields, platformFiles } from "./platform.ts";

/** The parts of the checkout's package.json that are read here. */
export interface Manifest {
  name: string;
  version: string;
  [field: string]: unknown;
}

/** Fields that mean something in a checkout only, or would run something on a person's machine. */
const CHECKOUT_FIELDS: ReadonlySet<string> = new Set([
  "scripts",
  "devDependencies",
  "allowScripts",
  "overrides",
  "napi",
  "private",
]);

/** Fields that a platform's package has in common with the main one. */
const SHARED_FIELDS = ["version", "license", "repository", "engines"] as const;

export function platformPackageName(main: Manifest, platform: string): string {
  return `${main.name}-${platform}`;
}

/** As published: with the platform packages, each at exactly this version, and nothing that a package manager would run. */
export function mainManifest(checkout: Manifest): Manifest {
  const published = Object.entries(checkout).filter(([field]) => !CHECKOUT_FIELDS.has(field));
  return {
    ...(Object.fromEntries(published) as Manifest),
    optionalDependencies: Object.fromEntries(
      PREBUILT_PLATFORMS.map((platform) => [platformPackageName(checkout, platform), checkout.version]),
    ),
  };
}

/** Holds the binaries of one platform and nothing that runs by itself. */
export function platformManifest(checkout: Manifest, platform: string): Manifest {
  const { addon, supervisor } = platformFiles(platform);
  return {
    name: platformPackageName(checkout, platform),
    ...(Object.fromEntries(SHARED_FIELDS.map((field) => [field, checkout[field]])) as Pick<Manifest, "version">),
    description: `The native core of ${checkout.name} for ${platform}`,
    ...platformFields(platform),
    main: addon,
    files: [addon, ...(supervisor === undefined ? [] : [supervisor])],
  };
}

export function platformReadme(checkout: Manifest, platform: string): string {
  return `# ${platformPackageName(checkout, platform)}

The native core of ${checkout.name} for ${platform}. It comes with ${checkout.name}; there is no use in installing it by itself.
`;
}
