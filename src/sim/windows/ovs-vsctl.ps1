# Stands in for ovs-vsctl.exe: the commands that the helper gives, on the state file.
foreach ($part in @('state', 'ovs')) { . (Join-Path -Path $PSScriptRoot -ChildPath "$part.ps1") }
$ErrorActionPreference = 'Stop'
$state = Read-State
if (@($env:KUBECTL_WIN_ARGUMENTS -split "`n") -contains '--version') {
    "ovs-vsctl (Open vSwitch) $($state.sections.ovs.Version)"
    exit 0
}
$failure = $state.errors.ovs
if ($failure) {
    if ($failure.kind -eq 'Timeout') { Start-Sleep -Seconds 3600 }
    [System.Console]::Error.WriteLine("ovs-vsctl: $($failure.message)")
    exit 1
}
$output = [System.Console]::OpenStandardOutput()
Edit-State {
    param($state)
    $words = @()
    foreach ($word in @($env:KUBECTL_WIN_ARGUMENTS -split "`n") + '--') {
        if ($word -ne '--') { $words += $word; continue }
        if (@($words | Where-Object { $_ -notlike '--*' }).Count -gt 0) {
            foreach ($line in @(Invoke-OvsCommand -State $state -Words $words)) {
                $bytes = [System.Text.Encoding]::UTF8.GetBytes("$line`n")
                $output.Write($bytes, 0, $bytes.Length)
            }
        }
        $words = @()
    }
}
$output.Flush()
