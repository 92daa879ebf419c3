# nssm runs any program as a service. The registry has the program and its arguments.

function Get-WrappedProgram {
    param([Parameter(Mandatory = $true)][string]$Name)
    $key = "HKLM:\SYSTEM\CurrentControlSet\Services\$Name\Parameters"
    if (-not (Test-Path -LiteralPath $key)) { return }
    $values = Get-ItemProperty -LiteralPath $key
    $application = Get-Field -InputObject $values -Name Application
    if ($null -eq $application) { return }
    [pscustomobject]@{ Application = [string]$application; Arguments = [string](Get-Field -InputObject $values -Name AppParameters) }
}
