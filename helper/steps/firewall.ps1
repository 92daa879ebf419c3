# firewall.allow: one inbound rule for one port.

function Invoke-FirewallAllowStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    $about = "Firewall rule $($With.name) for $($With.protocol) $($With.port)"
    $rule = (Get-FirewallSection).Rules | Where-Object -FilterScript { $_.Name -eq $With.name } | Select-Object -First 1
    switch ($Phase) {
        'Inspect' {
            if ($null -eq $rule) { return New-Inspection -Done $false -Saved ([pscustomobject]@{ existed = $false }) -About "$about does not exist." }
            $same = $rule.Enabled -and $rule.Direction -eq 'Inbound' -and $rule.Action -eq 'Allow' -and
            $rule.Protocol -eq $With.protocol -and $rule.LocalPort -eq [string]$With.port
            $blocked = ''
            if (-not $same) { $blocked = "A different firewall rule has the name $($With.name)." }
            New-Inspection -Done $same -Blocked $blocked -Saved ([pscustomobject]@{ existed = $true }) -About "$about exists."
        }
        'Apply' {
            $splatRule = @{
                Name        = $With.name
                DisplayName = $With.displayName
                Direction   = 'Inbound'
                Action      = 'Allow'
                Protocol    = $With.protocol
                LocalPort   = [string]$With.port
                Profile     = 'Any'
            }
            if ($PSCmdlet.ShouldProcess($about, 'Add')) { [void](New-NetFirewallRule @splatRule) }
        }
        'Undo' {
            if ($null -eq $Saved -or $Saved.existed -or $null -eq $rule) { return }
            if ($PSCmdlet.ShouldProcess($about, 'Remove')) { Remove-NetFirewallRule -Name $With.name }
        }
    }
}
