# Runs the helper with the Windows stand-ins: bootstrap.ps1 HELPER [parameters].
Import-Module -Name (Join-Path -Path $PSScriptRoot -ChildPath 'Windows.psm1') -Global
$helper = $args[0]
$parameters = @{}
for ($i = 1; $i -lt $args.Count; $i++) {
    $name = ([string]$args[$i]).TrimStart('-')
    if ($i + 1 -lt $args.Count -and -not ([string]$args[$i + 1]).StartsWith('-')) { $i++; $parameters[$name] = $args[$i] } else { $parameters[$name] = $true }
}
& $helper @parameters
